/**
 * Finds the JSON objects in a reviewer's answer that can be its review: in `json` fences, or in its own prose. It ignores
 * quotes, other fences, tables, comments, diffs and inline code.
 */
import { type Fence, type Line, ownWords } from './own-words.ts'
import { balancedEnd, scanObject } from './scan-object.ts'

export type Found =
  /** `mentioned`: the object is inside a sentence or in a doubtful place, so the reviewer may only be talking about it. */
  | { kind: 'sound'; value: unknown; twice: string | null; standing: 'stated' | 'mentioned' }
  | { kind: 'broken'; text: string; how: 'broken' | 'cut off' }

export function findObjects(text: string): Found[] {
  const finder = new Finder(text)
  for (const line of ownWords(text)) finder.step(line)
  return finder.finish()
}

class Finder {
  readonly #text: string
  readonly #found: Found[] = []
  /** The `json` fence that is being read. */
  #block: { fence: Fence; start: number; end: number; swallowed: boolean } | null = null
  /** Everything before this place has been searched. */
  #done = 0
  /** How often a brace may still be followed to the end of the text in vain. Without a limit that takes quadratic time. */
  #patience = 8

  constructor(text: string) {
    this.#text = text
  }

  step(line: Line): void {
    if (line.fence !== this.#block?.fence) this.#endBlock()
    if (line.fence?.language === 'json') this.#extendBlock(line, line.fence)
    else if (line.place !== 'quoted' && !line.fence) this.#searchProse(line)
  }

  finish(): Found[] {
    this.#endBlock()
    return this.#found
  }

  #extendBlock(line: Line, fence: Fence): void {
    const end = line.start + line.text.length
    if (this.#block) this.#block.end = end
    else this.#block = { fence, start: line.start, end, swallowed: line.place === 'doubtful' }
  }

  #endBlock(): void {
    const block = this.#block
    this.#block = null
    if (!block) return
    const text = this.#text.slice(block.start, block.end).trim()
    const scan = scanObject(text, 0)
    if (block.swallowed) this.#found.push({ kind: 'broken', text, how: 'cut off' })
    else if (scan.kind === 'complete' && scan.end === text.length) {
      const standing = block.fence.place === 'own' ? 'stated' : 'mentioned'
      this.#found.push({ kind: 'sound', value: scan.value, twice: scan.twice, standing })
    } else if (block.fence.place === 'own') {
      const how = scan.kind === 'cut off' ? 'cut off' : 'broken'
      this.#found.push({ kind: 'broken', text, how })
    }
  }

  #searchProse(line: Line): void {
    let ticks = 0
    for (const { 0: sign, index } of line.text.matchAll(/`+|\{/g)) {
      const at = line.start + index
      if (at < this.#done) continue
      if (sign !== '{') ticks += 1
      else if (ticks % 2 === 0) this.#tryBrace(line, index)
    }
  }

  #tryBrace(line: Line, index: number): void {
    const start = line.start + index
    const scan = scanObject(this.#text, start)
    const introduced = line.place === 'own' && isIntroduction(line.text, index)
    if (scan.kind === 'complete') {
      this.#done = scan.end
      const standing = introduced && endsStatement(this.#text, scan.end) ? 'stated' : 'mentioned'
      this.#found.push({ kind: 'sound', value: scan.value, twice: scan.twice, standing })
      return
    }
    this.#done = scan.kind === 'broken' ? scan.at : this.#text.length
    if (introduced && this.#patience > 0) this.#takeBroken(start)
  }

  #takeBroken(start: number): void {
    const end = balancedEnd(this.#text, start)
    if (end === null) this.#patience -= 1
    const text = this.#text.slice(start, end ?? this.#text.length)
    const speaks = /\b(?:verdict|passed|result)["']?\s*:/i.test(text)
    if (speaks) this.#found.push({ kind: 'broken', text, how: end === null ? 'cut off' : 'broken' })
    if (speaks || end !== null) this.#done = Math.max(this.#done, end ?? this.#text.length)
  }
}

const introduction = new RegExp(
  "(?:^|[.!?] )(?:(?:here is|here’s|here's|this is|below is) )?(?:(?:my|the) )?" +
    '(?:(?:final|full|complete|structured|overall|code) )*' +
    '(?:review|verdict|answer|result|output|response|assessment|decision|judge?ment|json)' +
    '(?: (?:as|in) json)?: ?$',
  'i',
)

/** An object is a statement if it begins a line, or if the words before it call it the reviewer's own review. */
function isIntroduction(line: string, end: number): boolean {
  if (end > 200) return false
  const before = line.slice(0, end)
  return /^ *$/.test(before) || introduction.test(before)
}

/** After the object the line ends, or a new sentence begins that does not take it back. */
function endsStatement(text: string, end: number): boolean {
  const rest = (/^[^\r\n]*/.exec(text.slice(end, end + 200))?.[0] ?? '').trimStart()
  if (rest === '') return true
  const takesBack =
    /^(?:but|not?|if|unless|only|once|when|provided|however|except|although|though|assuming|pending|would)\b/i
  return /^[A-Z]/.test(rest) && !takesBack.test(rest)
}
