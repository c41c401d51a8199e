/**
 * Finds the end of a JSON object that begins at a given place, in one walk. JSON.parse can't say where an object ends or
 * that a key appears twice, and counting braces alone is fooled by braces in strings.
 */
export type Scan =
  /** `twice` is a key that appears two times in one object: JSON.parse would keep the last and hide the first. */
  | { kind: 'complete'; end: number; value: unknown; twice: string | null }
  /** The text is not JSON from `at` on. A further search continues there, so that no character is scanned repeatedly. */
  | { kind: 'broken'; at: number }
  /** The text is JSON so far, but it ends before the object does. */
  | { kind: 'cut off' }

/** No review is nested deeper. Deeper objects would only cost memory. */
const deepest = 64

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
export function balancedEnd(text: string, start: number): number | null {
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
