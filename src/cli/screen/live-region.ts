/**
 * Lines at the bottom of a terminal that are redrawn in place, while other lines scroll by above them. Each change is
 * one write: move up to the first line, overwrite line by line, and erase the rest. The cursor always rests below the
 * last line, and no terminal mode stays switched. So nothing needs to be restored when the program is killed.
 */
import { clip, widthOf } from '../../lib/text/columns.ts'

/** The part of a terminal that the region needs. Standard output has it. */
export interface Terminal {
  columns?: number
  rows?: number
  write(text: string): unknown
  on(event: 'resize', listener: () => void): unknown
  off(event: 'resize', listener: () => void): unknown
}

export interface LiveRegion {
  /** The size of the terminal. */
  room(): { columns: number; rows: number }
  /** Shows these lines in place of the previous ones. Lines that do not fit are left out. */
  draw(lines: string[]): void
  /** Lets these lines scroll by above the region. */
  print(lines: string[]): void
  /** Stops listening. The shown lines stay on the screen. */
  close(): void
}

const erasedLine = '\u001b[K'
const erasedBelow = '\u001b[J'
/** A line that is wider than measured must not run into the next line. */
const [wrapOff, wrapOn] = ['\u001b[?7l', '\u001b[?7h']

export function openLiveRegion(terminal: Terminal): LiveRegion {
  let shown: string[] = []

  // A terminal that does not know its size reports 0.
  const room = () => ({ columns: (terminal.columns || 80) - 1, rows: (terminal.rows || 24) - 1 })

  /** After the window became narrower, a line may take several rows. */
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
    // The lines above may be longer than a row and wrap, so the space below is cleared first.
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
