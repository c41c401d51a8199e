/**
 * Code fences, read in two ways at once. Markdown has no nesting: the first bare ``` closes. Agents nest fences anyway, so
 * the text after the end of the inner fence is outside for Markdown, but still inside for its author. A line is doubtful
 * if the two ways differ.
 */
export interface FenceMark {
  char: string
  length: number
  /** The column at which the mark begins. */
  indent: number
  /** The mark comes after the marker of a list item. */
  listed: boolean
  info: string
}

/** `unclear`: a mark that ends the fence only if the fence is in a list item. */
export type FenceState = 'outside' | 'edge' | 'inside' | 'unclear'

/** The line as a fence mark, or null. It is a walk over the characters, because a regular expression would backtrack. */
export function fenceMark(line: string): FenceMark | null {
  let at = skipBlanks(line, 0)
  const start = at
  for (let item = skipListMarker(line, at); item > at; item = skipListMarker(line, at)) at = item
  const char = line.charAt(at)
  if (char !== '`' && char !== '~') return null
  let end = at
  while (line.charAt(end) === char) end += 1
  if (end - at < 3) return null
  const info = line.slice(end).trim()
  if (char === '`' && info.includes('`')) return null
  return { char, length: end - at, indent: column(line, at), listed: at > start, info }
}

/**
 * Looks like a fence, but Markdown does not see one: an invisible character, or another kind of line ending, comes
 * before its mark.
 */
export function isVeiled(line: string): boolean {
  if (!line.includes('```') && !line.includes('~~~')) return false
  const parts = line.split(/[\v\f\u0085\u2028\u2029]/)
  return parts.some((part, index) => {
    const veil = /^[\p{Z}\p{C}]*/u.exec(part)?.[0] ?? ''
    return (index > 0 || /[^ \t]/.test(veil)) && fenceMark(part.slice(veil.length)) !== null
  })
}

export class FenceTrail {
  readonly #nesting: 'flat' | 'nested'
  readonly #open: FenceMark[] = []

  constructor(nesting: 'flat' | 'nested') {
    this.#nesting = nesting
  }

  get isOpen(): boolean {
    return this.#open.length > 0
  }

  /** Takes the mark of the next line, or null if the line is not a mark, and returns where that line is. */
  step(mark: FenceMark | null): FenceState {
    const top = this.#open.at(-1)
    if (!top) {
      if (mark) this.#open.push(mark)
      return mark ? 'edge' : 'outside'
    }
    if (!mark || mark.char !== top.char || mark.length < top.length) return 'inside'
    if (mark.info === '' && !mark.listed) {
      if (mark.indent > top.indent + 3) return 'inside'
      if (mark.indent > 3 && top.indent <= 3 && !top.listed) return 'unclear'
      this.#open.pop()
      return this.#open.length === 0 ? 'edge' : 'inside'
    }
    if (this.#nesting === 'nested') this.#open.push(mark)
    return 'inside'
  }
}

/** The column of a place in a line; a tab reaches to the next multiple of four. */
function column(line: string, at: number): number {
  let column = 0
  for (let place = 0; place < at; place += 1) column += line.charAt(place) === '\t' ? 4 - (column % 4) : 1
  return column
}

/** The column at which a line's text begins. */
export function indentOf(line: string): number {
  return column(line, skipBlanks(line, 0))
}

function skipBlanks(line: string, from: number): number {
  let at = from
  while (line.charAt(at) === ' ' || line.charAt(at) === '\t') at += 1
  return at
}

/** The place after `- `, `* `, `+ `, `1. ` or `1) `, or `from` itself if there is no such marker. */
export function skipListMarker(line: string, from: number): number {
  let at = from
  while (at - from < 9 && line.charAt(at) >= '0' && line.charAt(at) <= '9') at += 1
  const marks = at > from ? '.)' : '-*+'
  if (at >= line.length || !marks.includes(line.charAt(at))) return from
  const behind = skipBlanks(line, at + 1)
  return behind > at + 1 ? behind : from
}
