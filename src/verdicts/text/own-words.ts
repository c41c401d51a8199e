/**
 * Which lines of a review are the reviewer's own words. A verdict in a quote, a code block, a table, a comment or a diff
 * comes from another text: an earlier review, the prompt, the code under review.
 *
 *   own       the reviewer speaks
 *   quoted    the reviewer shows another text, or code
 *   doubtful  can be read both ways: directly below a quote or table (for Markdown such lines belong to it), swallowed by
 *             a fence or comment that never ends, inside a fence in another fence, or below a place after which code can
 *             no longer be told from text (the text is torn). Such a line can't approve, but it may contradict an
 *             approval.
 *
 * It walks line by line and reads each line a fixed number of times, so that reviews of 10 MB, on one line or on ten
 * million, take linear time.
 */
import {
  type FenceMark,
  type FenceState,
  FenceTrail,
  fenceMark,
  indentOf,
  isVeiled,
  skipListMarker,
} from './fences.ts'
import { Passage } from './passage.ts'

export type LineOrigin = 'own' | 'quoted' | 'doubtful'

export interface Line {
  /** The text without its line ending. */
  text: string
  /** Its offset in the whole text. */
  start: number
  place: LineOrigin
  /** The fence that contains the line. It is the same object for all lines of one fence. */
  fence: Fence | null
}

export interface Fence {
  language: string
  indent: number
  /** A fence after a list marker, or with a deep indent, may be an example inside an example. */
  place: 'own' | 'doubtful'
}

export function* ownWords(text: string): Generator<Line> {
  const swallowedFrom = lastOpening(text)
  const blocks = new Blocks(text)
  for (const { text: line, start } of splitLines(text)) {
    const place = blocks.step(line, start)
    const swallowed = place === 'quoted' && start >= swallowedFrom
    yield { text: line, start, place: swallowed ? 'doubtful' : place, fence: blocks.fence }
  }
}

/** The start of a fence or passage that never ends. */
function lastOpening(text: string): number {
  if (!['```', '~~~', '<'].some((sign) => text.includes(sign))) return Number.POSITIVE_INFINITY
  const blocks = new Blocks(text)
  for (const { text: line, start } of splitLines(text)) blocks.step(line, start)
  return blocks.openedAt ?? Number.POSITIVE_INFINITY
}

/** Only spaces and tabs make a line blank. A line with a no-break space or a zero-width character is not blank. */
export function isBlank(line: string): boolean {
  return /^[ \t]*$/.test(line)
}

class Blocks {
  /** The start of the fence or passage that is open now. */
  openedAt: number | null = null
  /** The fence that contained the last line. */
  fence: Fence | null = null

  readonly #commentsTo: number
  readonly #flat = new FenceTrail('flat')
  readonly #nested = new FenceTrail('nested')
  #open: Fence | null = null
  #passage: Passage | null = null
  #below: 'quote' | 'nothing' = 'nothing'
  #previous = ''
  #torn = false

  constructor(text: string) {
    this.#commentsTo = text.lastIndexOf('-->')
  }

  step(line: string, start: number): LineOrigin {
    const place = this.#inPassage(line) ?? this.#inFence(line, start) ?? this.#alone(line, start)
    this.#previous = line
    return this.#torn ? 'doubtful' : place
  }

  #inPassage(line: string): LineOrigin | null {
    if (!this.#passage) return null
    const step = this.#passage.step(line)
    if (step === 'goes on') return 'quoted'
    const { kind, leavesOpen } = this.#passage
    if (leavesOpen) this.#torn = true
    this.#passage = null
    this.openedAt = null
    if (kind === 'hunk') this.#below = isBlank(this.#previous) ? 'nothing' : 'quote'
    return step === 'ends here' ? 'quoted' : null
  }

  #inFence(line: string, start: number): LineOrigin | null {
    const mark = fenceMark(line)
    const flat = this.#flat.step(mark)
    const nested = this.#nested.step(mark)
    this.fence = flat === 'inside' ? this.#open : null
    const tears = this.#open !== null && this.#tears(line, this.#open, start)
    if (tears || flat === 'unclear' || isVeiled(line)) this.#torn = true
    if (flat === 'edge') this.#turn(mark, nested, start)
    if (flat === 'outside' && nested === 'outside') return null
    return flat === 'outside' || nested === 'outside' ? 'doubtful' : 'quoted'
  }

  #turn(mark: FenceMark | null, nested: FenceState, start: number): void {
    this.#below = 'nothing'
    const opens = this.#open === null && mark !== null
    this.openedAt = opens ? start : null
    if (!opens) {
      this.#open = null
      return
    }
    const plain = nested === 'edge' && !mark.listed && mark.indent <= 3
    const language = mark.info.split(/[\s,{]/, 1)[0] ?? ''
    const place = plain ? 'own' : 'doubtful'
    this.#open = { language: language.toLowerCase(), indent: mark.indent, place }
  }

  /**
   * For Markdown, a line further left than the indented fence around it ends the list item, and with it the fence. The
   * mark that looks like the fence's end then opens another fence. From there on it is not clear what is code.
   */
  #tears(line: string, fence: Fence, start: number): boolean {
    if (fence.indent === 0 || isBlank(line) || indentOf(line) >= fence.indent) return false
    return fence.place === 'doubtful' || Passage.opening(line, start, this.#commentsTo) !== null
  }

  #alone(line: string, start: number): LineOrigin {
    const passage = Passage.opening(line, start, this.#commentsTo)
    if (passage && passage.kind !== 'remark') {
      if (passage.closes(line)) {
        if (passage.leavesOpen) this.#torn = true
        return 'quoted'
      }
      this.#passage = passage
      this.openedAt = passage.kind === 'hunk' ? null : start
      return 'quoted'
    }
    if (passage) {
      // A comment that begins after words on this line. The words are still the reviewer's.
      this.#passage = passage
      this.openedAt = start
    }
    if (isBlank(line)) {
      this.#below = 'nothing'
      return 'own'
    }
    if (isIndentedCode(line)) return 'quoted'
    if (isQuoting(line)) {
      this.#below = 'quote'
      return 'quoted'
    }
    if (/^ {0,3}#{1,6}(?:[ \t]|$)/.test(line)) this.#below = 'nothing'
    return this.#below === 'quote' ? 'doubtful' : 'own'
  }
}

function isIndentedCode(line: string): boolean {
  return /^(?: {4}| {0,3}\t)/.test(line)
}

/** A quote (even in a list item), a row of a table, or a line of a diff. */
function isQuoting(line: string): boolean {
  let at = line.search(/[^ ]/)
  for (let item = skipListMarker(line, at); item > at; item = skipListMarker(line, at)) at = item
  const first = line.charAt(at)
  if (first === '>' || first === '|') return true
  if (line.includes('|') && line.includes('-') && /^[-|: \t]*$/.test(line)) return true
  return /^(?:[+-][^\s+-]|\+\+\+ |--- [^ ]|diff --git )/.test(line)
}

/** A byte order mark at the very beginning is not part of the text. Anywhere else it is a character. */
export function withoutBom(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text
}

/**
 * Lines as Markdown sees them: they end in LF, CR LF or a lone CR, and nowhere else. A line separator such as U+2028 is an
 * ordinary character here, so that it can't separate a verdict from the words before it.
 */
function* splitLines(text: string): Generator<{ text: string; start: number }> {
  let start = 0
  // Search for each again only after passing it. Otherwise a text without one of them would take quadratic time.
  let feed = -1
  let carriage = -1
  while (start <= text.length) {
    if (feed < start) feed = nextOf(text, '\n', start)
    if (carriage < start) carriage = nextOf(text, '\r', start)
    const end = Math.min(feed, carriage)
    yield { text: text.slice(start, end), start }
    start = end + (carriage + 1 === feed ? 2 : 1)
  }
}

/** The next place of the character, or the end of the text if there is none. */
function nextOf(text: string, char: string, from: number): number {
  const at = text.indexOf(char, from)
  return at === -1 ? text.length : at
}
