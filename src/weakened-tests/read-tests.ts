/** Reads what a diff does to one file of tests, line by line. It keeps the old and the new state of the file apart. */
import type { Language, Syntax } from './language.ts'
import { isTestFile } from './languages.ts'
import { lineKey, type Mark, readMark, type TestChange } from './mark.ts'
import type { DiffFile, DiffHunk, DiffLine } from './read-diff.ts'

/** A function counts as a helper if an assertion follows within this many lines. */
const helperReach = 40

export function readTests(file: DiffFile, language: Language): TestChange {
  const path = file.to ?? file.from ?? ''
  const change: TestChange = {
    file: path,
    life: file.from === null ? 'new' : file.to === null ? 'deleted' : 'stays',
    language,
    marks: [],
    before: new Set(),
    after: new Set(),
    replaced: new Set(),
    silenced: [],
    helpers: new Set(),
  }
  let block = 0
  file.hunks.forEach((hunk, index) => {
    if (language.inline && !isTestFile(path, language) && !speaksOfTests(hunk, language.inline)) return
    block = readHunk(hunk, `hunk ${index}`, change, block + 1)
  })
  return { ...change, silenced: [...change.silenced, ...silencedByText(change)] }
}

function speaksOfTests({ section, lines }: DiffHunk, inline: RegExp): boolean {
  return inline.test(section) || lines.some(({ text }) => inline.test(text))
}

/** Returns the number of the last block. */
function readHunk({ section, lines }: DiffHunk, unnamed: string, change: TestChange, first: number): number {
  const { language, before, after } = change
  const above = nameOf(section, language) ?? unnamed
  before.add(above)
  after.add(above)
  const old: Side = { open: null, test: above, last: null }
  const now: Side = { open: null, test: above, last: null }
  let block = first
  let helper: { name: string; until: number } | null = null
  lines.forEach((line, index) => {
    const { side, text } = line
    if (side === 'both') {
      block += 1
      const [was, is] = [step(old, text, language), step(now, text, language)]
      const [named, stillNamed] = [was.declares, is.declares]
      if (named) before.add(named)
      if (stillNamed) after.add(stillNamed)
      if (named && !stillNamed) change.silenced.push({ line: line.line, text, test: named })
      return
    }
    const at = side === 'old' ? old : now
    const previous = at.last
    const { code, comment, declares } = step(at, text, language)
    if (declares) (side === 'old' ? before : after).add(declares)
    if (side === 'old') change.replaced.add(block)
    const mark = readMark({ line, code, comment, declares, test: at.test, block }, language)
    if (mark?.skips && !declares) mark.key += lineKey(nextOn(side, lines, index) ?? '')
    if (mark && side === 'new') {
      if (helper && index <= helper.until && mark.assertions > 0) change.helpers.add(helper.name)
      const defined = ownHelper.exec(code)?.[1]
      if (defined) helper = { name: defined, until: index + helperReach }
    }
    if (side === 'new' && previous?.declares && /^\s*return\b\s*;?\s*$/.test(code))
      change.silenced.push({ line: line.line, text: `${previous.text.trim()} ${text.trim()}`, test: at.test })
    if (mark) change.marks.push(mark)
    if (side === 'old' && language.attribute?.test(text) && losesAttribute(lines, index, language))
      change.silenced.push({ line: line.line, text, test: at.test })
  })
  return block
}

interface Side {
  open: Open
  test: string
  last: { text: string; declares: string | null } | null
}

function step(side: Side, text: string, language: Language) {
  if (text.trim() === '') return { code: '', comment: '', declares: null }
  const { code, comment, open } = codeOfLine(text, side.open, language.syntax)
  side.open = open
  // The name may be a string, so it is read from the unchanged line. But the line must contain code.
  const declares = code.trim() === '' ? null : nameOf(text, language)
  if (declares) side.test = declares
  if (text.trim() !== '') side.last = { text, declares }
  return { code, comment, declares }
}

function nameOf(text: string, { declares }: Language): string | null {
  const found = declares.exec(text)
  if (!found) return null
  const name = found.slice(1).find((group) => group !== undefined) ?? ''
  const quoted = /^\s*(["'`])(.{0,200}?)\1/.exec(name)
  return (quoted?.[2] ?? name).trim() || text.trim()
}

const ownHelper =
  /\b(?:function|def|func|fn|fun|void|Task|const|let)\s+((?:assert|expect|verify|check|ensure|should)\w*)/i

function nextOn(side: 'old' | 'new', lines: DiffLine[], from: number): string | undefined {
  return lines.slice(from + 1, from + 40).find((line) => line.side === 'both' || line.side === side)?.text
}

/** The function is unchanged, but the line that made it a test is gone. */
function losesAttribute(lines: DiffLine[], from: number, { attribute, declares }: Language): boolean {
  for (const line of lines.slice(from + 1, from + 40)) {
    if (line.side === 'new' && attribute?.test(line.text)) return false
    if (line.side === 'both') return declares.test(line.text)
    if (line.side === 'old' && !/^\s*(?:@|\[|#\[)/.test(line.text)) return false
  }
  return false
}

/** Tests whose text is still there, but which no runner recognises any more. */
function silencedByText(change: TestChange): TestChange['silenced'] {
  return [...commentedOut(change), ...renamedAway(change)]
}

/** A line that began a test and is a comment now. */
function commentedOut({ marks }: TestChange): TestChange['silenced'] {
  const begun = new Map<string, string>()
  for (const { side, key, declares } of marks)
    if (side === 'old' && declares !== null) begun.set(key, declares)
  return marks.flatMap(({ side, line, text, commented }) => {
    const test = side === 'new' && commented !== null ? begun.get(commented) : undefined
    return test === undefined ? [] : [{ line, text, test }]
  })
}

/** `test_adds` that became `_test_adds` or `adds`. */
function renamedAway({ marks, after }: TestChange): TestChange['silenced'] {
  const blocks = new Map<number, Mark[]>()
  for (const mark of marks) {
    if (mark.side === 'old' || (mark.declares === null && mark.plainFunction === null)) continue
    const same = blocks.get(mark.block)
    if (same) same.push(mark)
    else blocks.set(mark.block, [mark])
  }
  return marks.flatMap((mark) => {
    if (mark.side === 'new' || mark.declares === null || after.has(mark.declares)) return []
    const stem = stemOf(mark.declares)
    const alike = (blocks.get(mark.block) ?? []).filter(
      ({ declares, plainFunction }) => stem !== '' && stemOf(declares ?? plainFunction ?? '').includes(stem),
    )
    const [other] = alike
    return other && alike.every(({ declares }) => declares === null)
      ? [{ line: other.line, text: other.text, test: mark.declares }]
      : []
  })
}

function stemOf(name: string): string {
  return name.toLowerCase().replace(/_/g, '').replace(/test/g, '')
}

interface CodeOfLine {
  code: string
  /** The text of the comments on the line. */
  comment: string
  open: Open
}

/** The comment or string that is still open at the end of the line. */
type Open = { kind: 'comment' | 'string'; close: string; escapedBy: '\\' | null } | null

/**
 * The code of a line without text that only looks like code: strings are emptied and comments left out. It is one pass
 * over the line. A block comment or a long string that continues on the next line is passed on as `open`.
 */
function codeOfLine(text: string, before: Open, syntax: Syntax): CodeOfLine {
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
