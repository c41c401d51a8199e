/**
 * The lines at the bottom of a terminal that are drawn again in place, while others scroll by above them. Each change
 * is one write: up to the first line, over it line by line, and what is left is erased. The cursor always rests below
 * the last line and nothing about the terminal is left switched, so there is nothing to put right when the program is
 * ended in the middle, by whatever.
 */
import { clip, widthOf } from '../../lib/text/columns.ts'

/** What is needed of a terminal; standard output is one. */
export interface Terminal {
  columns?: number
  rows?: number
  write(text: string): unknown
  on(event: 'resize', listener: () => void): unknown
  off(event: 'resize', listener: () => void): unknown
}

export interface LiveRegion {
  /** How much there is room for. */
  room(): { columns: number; rows: number }
  /** Shows these lines in the place of those before. What does not fit is left out. */
  draw(lines: string[]): void
  /** Lets these lines scroll by above the region. */
  print(lines: string[]): void
  /** Stops listening. What is shown stays where it is. */
  close(): void
}

const erasedLine = '\u001b[K'
const erasedBelow = '\u001b[J'
/** A line that is wider than it was measured must not run on into the next. */
const [wrapOff, wrapOn] = ['\u001b[?7l', '\u001b[?7h']

export function openLiveRegion(terminal: Terminal): LiveRegion {
  let shown: string[] = []

  // A terminal that does not know its size says 0.
  const room = () => ({ columns: (terminal.columns || 80) - 1, rows: (terminal.rows || 24) - 1 })

  /** After the window was made narrower, a line may take several rows. */
  function toFirstLine(): string {
    const { columns } = room()
    const rows = shown.reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / (columns + 1))), 0)
    return rows === 0 ? '' : `\r\u001b[${rows}A`
  }

  function fitting(lines: string[]): string[] {
    const { columns, rows } = room()
    const missing = lines.length - rows
    const fit = missing > 0 ? [...lines.slice(0, rows - 1), `… and ${missing + 1} more lines`] : lines
    return fit.map((line) => clip(line, columns))
  }

  function write(above: string[], lines: string[]): void {
    const next = fitting(lines)
    // These may be longer than a row and wrap, so the place for them is cleared beforehand.
    const scrolled = above.length === 0 ? '' : `${erasedBelow}${above.map((line) => `${line}\n`).join('')}`
    const region = next.map((line) => `${line}${erasedLine}\n`).join('')
    terminal.write(`${toFirstLine()}${scrolled}${wrapOff}${region}${wrapOn}${erasedBelow}`)
    shown = next
  }

  let wanted: string[] = []
  const again = () => write([], wanted)
  terminal.on('resize', again)
  return {
    room,
    draw(lines) {
      wanted = lines
      const next = fitting(lines)
      if (next.length !== shown.length || next.some((line, at) => line !== shown[at])) write([], lines)
    },
    print: (lines) => write(lines, wanted),
    close: () => void terminal.off('resize', again),
  }
}
