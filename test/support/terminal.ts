/**
 * A minimal terminal for our own escape sequences: it wraps and scrolls, and supports the few movements of a live
 * region. Any other control sequence is an error here.
 */
import { EventEmitter } from 'node:events'

export class FakeTerminal extends EventEmitter {
  readonly isTTY = true
  /** Everything that scrolled out at the top, and then what is on the screen. */
  readonly lines: string[] = ['']
  readonly writes: string[] = []
  private row = 0
  private column = 0
  private wraps = true

  columns: number
  rows: number

  constructor(columns: number, rows: number) {
    super()
    this.columns = columns
    this.rows = rows
  }

  /** What a reader sees, without the empty rest of the screen. */
  get text(): string {
    return this.lines
      .map((line) => line.trimEnd())
      .join('\n')
      .trimEnd()
  }

  write(text: string): boolean {
    this.writes.push(text)
    for (const part of text.match(/\u001b\[[?\d;]*[A-Za-z]|[^\u001b]|\u001b/gsu) ?? []) this.take(part)
    return true
  }

  private take(part: string): void {
    if (part.startsWith('\u001b')) return this.obey(part)
    if (part === '\r') this.column = 0
    else if (part === '\n') this.newLine()
    else if (/\p{Cc}/u.test(part)) throw new Error(`a control character: ${JSON.stringify(part)}`)
    else this.put(part)
  }

  private obey(sequence: string): void {
    const [, number = '', final = ''] = /^\u001b\[\??([\d;]*)([A-Za-z])$/.exec(sequence) ?? []
    switch (final) {
      case 'A':
        this.row = Math.max(this.row - Number(number || 1), this.top)
        return
      case 'K':
        this.lines[this.row] = [...this.line].slice(0, this.column).join('')
        return
      case 'J':
        this.lines[this.row] = [...this.line].slice(0, this.column).join('')
        this.lines.length = this.row + 1
        return
      case 'm':
        return
      case 'h':
      case 'l':
        if (number !== '7') break
        this.wraps = final === 'h'
        return
    }
    throw new Error(`not known here: ${JSON.stringify(sequence)}`)
  }

  private put(character: string): void {
    if (this.column === this.columns) {
      if (this.wraps) this.newLine()
      else this.column -= 1
    }
    const cells = [...this.line.padEnd(this.column)]
    cells[this.column] = character
    this.lines[this.row] = cells.join('')
    this.column += 1
  }

  private newLine(): void {
    this.row += 1
    this.column = 0
    if (this.row === this.lines.length) this.lines.push('')
  }

  private get line(): string {
    return this.lines[this.row] ?? ''
  }

  /** The cursor can't move to lines that have scrolled out. */
  private get top(): number {
    return Math.max(0, this.lines.length - this.rows)
  }
}
