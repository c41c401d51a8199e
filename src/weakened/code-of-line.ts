/**
 * The code of a line without text that only looks like code: strings are emptied and comments left out. It is one pass
 * over the line. A block comment or a long string that continues on the next line is passed on as `open`.
 */
import type { Syntax } from './language.ts'

export interface CodeOfLine {
  code: string
  /** The text of the comments on the line. */
  comment: string
  open: Open
}

/** The comment or string that is still open at the end of the line. */
export type Open = { kind: 'comment' | 'string'; close: string; escapedBy: '\\' | null } | null

export function codeOfLine(text: string, before: Open, syntax: Syntax): CodeOfLine {
  let [code, comment, open] = ['', '', before]
  let at = 0
  while (at < text.length) {
    if (open) {
      const end = closing(text, at, open)
      if (open.kind === 'comment') comment += `${text.slice(at, end < 0 ? text.length : end)} `
      if (end < 0) return { code, comment, open: goesOn(open, syntax) }
      at = end + open.close.length
      if (open.kind === 'string') code += open.close
      open = null
      continue
    }
    if (syntax.lineComments.some((mark) => text.startsWith(mark, at)))
      return { code, comment: comment + text.slice(at), open: null }
    const block = syntax.blockComments.find(([mark]) => text.startsWith(mark, at))
    const string = block ? undefined : syntax.strings.find(({ open }) => text.startsWith(open, at))
    if (block) open = { kind: 'comment', close: block[1], escapedBy: null }
    else if (string) open = { kind: 'string', close: string.close, escapedBy: string.escapedBy }
    if (string) code += string.open
    if (open) {
      at += block ? block[0].length : (string?.open.length ?? 0)
      continue
    }
    // Skip in one step to the next sign that could begin a string or a comment. Most lines have none.
    const start = at
    const signs = beginnings(syntax)
    do at += 1
    while (at < text.length && !signs.has(text.charCodeAt(at)))
    code += text.slice(start, at)
  }
  return { code, comment, open: goesOn(open, syntax) }
}

const known = new WeakMap<Syntax, Set<number>>()

function beginnings(syntax: Syntax): Set<number> {
  const before = known.get(syntax)
  if (before) return before
  const blocks = syntax.blockComments.map(([mark]) => mark)
  const marks = [...syntax.lineComments, ...blocks, ...syntax.strings.map(({ open }) => open)]
  const codes = new Set(marks.map((mark) => mark.charCodeAt(0)))
  known.set(syntax, codes)
  return codes
}

function closing(text: string, from: number, { close, escapedBy }: NonNullable<Open>): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === escapedBy) at += 1
    else if (text.startsWith(close, at)) return at
  }
  return -1
}

/** A string that must end on its line counts as closed there, even if its closing quote is missing. */
function goesOn(open: Open, syntax: Syntax): Open {
  if (open?.kind !== 'string') return open
  return syntax.strings.some(({ close, lines }) => close === open.close && lines === 'many') ? open : null
}
