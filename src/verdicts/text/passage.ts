/**
 * A run of lines with its own beginning and end, other than a fence: an HTML comment, an HTML element that folds or quotes,
 * or a hunk of a diff. A `remark` is a comment that begins in the middle of a line.
 */
import { FenceTrail, fenceMark } from './fences.ts'

export class Passage {
  readonly kind: 'comment' | 'remark' | 'element' | 'hunk'
  readonly #ends: (line: string) => PassageStep
  readonly #fences = new FenceTrail('flat')
  #inComment = false

  private constructor(kind: Passage['kind'], ends: (line: string) => PassageStep) {
    this.kind = kind
    this.#ends = ends
  }

  /** The passage that begins on this line, or null. `commentsTo` is the place in the text where the last comment ends. */
  static opening(line: string, start: number, commentsTo: number): Passage | null {
    const hunk = line.startsWith('@@') ? /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line) : null
    if (hunk) return new Passage('hunk', hunkEnd(Number(hunk[1] ?? 1), Number(hunk[2] ?? 1)))
    if (!line.includes('<')) return null
    if (/^ {0,3}<!--/.test(line)) return new Passage('comment', commentEnd)
    const element = /^ {0,3}<(blockquote|details|pre)\b/i.exec(line)?.[1]
    if (element) return new Passage('element', elementEnd(element.toLowerCase()))
    return opensRemark(line, commentsTo - start) ? new Passage('remark', commentEnd) : null
  }

  /** Whether the passage ends on the line on which it began. */
  closes(line: string): boolean {
    return this.kind !== 'hunk' && this.step(line) === 'ends here'
  }

  step(line: string): PassageStep {
    const step = this.#ends(line)
    if (step !== 'ended before') this.#watch(line)
    return step
  }

  /**
   * Whether the passage begins a fence or a comment that it does not end. A comment hides its content. But Markdown reads
   * the content of folded text and of a diff without a fence, so a fence or comment that begins there continues below.
   */
  get leavesOpen(): boolean {
    return this.kind !== 'comment' && this.kind !== 'remark' && (this.#fences.isOpen || this.#inComment)
  }

  #watch(line: string): void {
    this.#fences.step(fenceMark(line))
    const opened = line.lastIndexOf('<!--')
    const closed = line.lastIndexOf('-->')
    if (opened !== closed) this.#inComment = opened > closed
  }
}

type PassageStep = 'goes on' | 'ends here' | 'ended before'

function commentEnd(line: string): PassageStep {
  return line.includes('-->') ? 'ends here' : 'goes on'
}

/** Elements with the same name can be nested. */
function elementEnd(name: string): (line: string) => PassageStep {
  const tag = new RegExp(`<(/?)${name}\\b`, 'gi')
  let depth = 0
  return (line) => {
    for (const [, slash] of line.matchAll(tag)) depth += slash ? -1 : 1
    return depth > 0 ? 'goes on' : 'ends here'
  }
}

/**
 * A hunk is as long as its header says, but it ends at the first line that does not look like part of it, because
 * reviewers cut hunks short. An empty line is an empty line of context whose one space was lost.
 */
function hunkEnd(removed: number, added: number): (line: string) => PassageStep {
  const left = { before: removed, after: added }
  return (line) => {
    const mark = line.charAt(0)
    if ((left.before <= 0 && left.after <= 0) || !' +-\\'.includes(mark)) return 'ended before'
    if (mark !== '+' && mark !== '\\') left.before -= 1
    if (mark !== '-' && mark !== '\\') left.after -= 1
    return 'goes on'
  }
}

/**
 * Whether a comment begins after other words and continues below. A comment sign that is shown as code, or that is never
 * closed, only means that the reviewer talks about comments.
 */
function opensRemark(line: string, commentsTo: number): boolean {
  const at = line.lastIndexOf('<!--')
  if (at === -1 || line.includes('-->', at)) return false
  const ticks = line.slice(0, at).match(/`+/g)?.length ?? 0
  const shown = ticks % 2 === 1 && line.includes('`', at)
  return !shown && commentsTo > at
}
