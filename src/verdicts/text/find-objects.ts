/**
 * Finds the JSON objects in a reviewer's answer that can be its review: in `json` fences, or in its own prose. It ignores
 * quotes, other fences, tables, comments, diffs and inline code.
 */
import { type Fence, type Line, ownWords } from './own-words.ts'

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

type Scan =
  /** `twice` is a key that appears two times in one object: JSON.parse would keep the last and hide the first. */
  | { kind: 'complete'; end: number; value: unknown; twice: string | null }
  /** The text is not JSON from `at` on. A further search continues there, so that no character is scanned repeatedly. */
  | { kind: 'broken'; at: number }
  /** The text is JSON so far, but it ends before the object does. */
  | { kind: 'cut off' }

/** No review is nested deeper. Deeper objects would only cost memory. */
const deepest = 64

/**
 * Finds the end of a JSON object that begins at a given place, in one walk. JSON.parse can't say where an object ends or
 * that a key appears twice, and counting braces alone is fooled by braces in strings.
 */
export function scanObject(text: string, start: number): Scan {
  const open: string[] = []
  /** The keys seen so far of the object at each depth. */
  const keys: Set<string>[] = []
  let twice: string | null = null
  let lastString = ''
  let at = start
  while (at < text.length) {
    const char = text.charAt(at)
    if (char === '"') {
      const end = stringEnd(text, at)
      if (end === null) return { kind: 'cut off' }
      if (end < 0) return { kind: 'broken', at: -end }
      lastString = text.slice(at, end)
      at = end
      continue
    }
    if (char === '{' || char === '[') {
      if (open.length === deepest) return { kind: 'broken', at: at + 1 }
      open.push(char === '{' ? '}' : ']')
      keys[open.length]?.clear()
    } else if (char === '}' || char === ']') {
      if (open.pop() !== char) return { kind: 'broken', at: at + 1 }
      if (open.length === 0) return parsed(text, start, at + 1, twice)
    } else if (char === ':') {
      const key = unescaped(lastString)
      const known = keys[open.length] ?? new Set()
      keys[open.length] = known
      if (known.has(key)) twice = key
      known.add(key)
    } else if (!/[\s,\w.+-]/.test(char)) {
      return { kind: 'broken', at: Math.max(at, start + 1) }
    }
    at += 1
  }
  return { kind: 'cut off' }
}

/** The place after the closing quote, or null if the text ends first. Negative: the place of a character not allowed there. */
function stringEnd(text: string, quote: number): number | null {
  for (let at = quote + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === 0x22) return at + 1
    if (code < 0x20) return -at
    if (code === 0x5c) at += 1
  }
  return null
}

function parsed(text: string, start: number, end: number, twice: string | null): Scan {
  try {
    return { kind: 'complete', end, value: JSON.parse(text.slice(start, end)), twice }
  } catch {
    return { kind: 'broken', at: end }
  }
}

function unescaped(string: string): string {
  if (!string.includes('\\')) return string.slice(1, -1)
  try {
    return String(JSON.parse(string))
  } catch {
    return string
  }
}

/** A best guess at the end of something in braces that is not JSON, or null if the braces never balance. */
function balancedEnd(text: string, start: number): number | null {
  let depth = 0
  let quoted = false
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === 0x5c) at += 1
    else if (code === 0x22) quoted = !quoted
    else if (quoted) continue
    else if (code === 0x7b) depth += 1
    else if (code === 0x7d) {
      depth -= 1
      if (depth === 0) return at + 1
    }
  }
  return null
}
