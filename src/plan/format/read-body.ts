/**
 * The body of a plan file. The first heading may be the title. The sections Objective, Scope and Acceptance Criteria have
 * a meaning. Everything else is kept unchanged as part of the description, because the developer should read it.
 */

export interface PlanBody {
  /** The first heading, unless it is the heading of a known section. */
  heading: { text: string; line: number } | null
  description: string
  scope: string | null
  accept: string[]
}

type Section = 'objective' | 'scope' | 'accept'

const sections: Record<string, Section> = {
  objective: 'objective',
  objectives: 'objective',
  scope: 'scope',
  'acceptance criteria': 'accept',
  'acceptance criterion': 'accept',
}

/** The lines under one heading, including that heading. */
interface Piece {
  section: Section | null
  lines: string[]
}

/** `titleIs` says whether the first heading is the title. A title is not part of the description. */
export function readBody(lines: string[], titleIs: (heading: string) => boolean): PlanBody {
  const headings = findHeadings(lines)
  const [first] = headings
  const heading = first && !sectionOf(first.text) && first.text !== '' ? first : null
  const title = heading && titleIs(heading.text) ? heading : null

  const byLine = new Map(headings.map((each) => [each.at, each]))
  const pieces: Piece[] = []
  let level = 0
  for (const [at, line] of lines.entries()) {
    const found = byLine.get(at)
    const last = pieces.at(-1)
    if (found && found === title) {
      pieces.push({ section: null, lines: [] })
      level = 0
    } else if (found && sectionOf(found.text)) {
      pieces.push({ section: sectionOf(found.text), lines: [line] })
      level = found.level
    } else if (!last || (found && last.section && found.level <= level)) {
      pieces.push({ section: null, lines: [line] })
    } else last.lines.push(line)
  }

  const of = (wanted: Section) => pieces.filter(({ section }) => section === wanted)
  const texts = (found: Piece[]) => found.map(({ lines: [, ...rest] }) => trimLines(rest)).filter(Boolean)
  const rest: string[] = []
  const accept: string[] = []
  for (const { section, lines: piece } of pieces) {
    if (section === null) rest.push(trimLines(piece))
    if (section !== 'accept') continue
    const [own = '', ...content] = piece
    const { criteria, others } = readCriteria(content)
    accept.push(...criteria)
    // A table, or words around the list, are not criteria, but they must not get lost.
    if (trimLines(others) !== '') rest.push(`${own}\n\n${trimLines(others)}`)
  }
  return {
    heading: heading && { text: heading.text, line: heading.at + 1 },
    description: [...texts(of('objective')), ...rest].filter(Boolean).join('\n\n'),
    scope: texts(of('scope')).join('\n\n') || null,
    accept,
  }
}

/** Matches a heading in any case, with a number, in bold or with a colon. */
function sectionOf(heading: string): Section | null {
  const name = heading
    .replace(/[*_`]/g, '')
    .replace(/^\d+(\.\d+)*[.)]?\s+/, '')
    .replace(/:\s*$/, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase()
  return Object.hasOwn(sections, name) ? (sections[name] ?? null) : null
}

/** The headings outside fenced code. */
function findHeadings(lines: string[]): { at: number; level: number; text: string }[] {
  const headings: { at: number; level: number; text: string }[] = []
  let fence: string | null = null
  for (const [at, line] of lines.entries()) {
    const [, mark = ''] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? []
    if (fence !== null) {
      const closes = mark.startsWith(fence) && line.trim() === mark
      if (closes) fence = null
      continue
    }
    if (mark !== '') {
      fence = mark
      continue
    }
    const [, signs, text = ''] = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/.exec(line) ?? []
    if (signs) headings.push({ at, level: signs.length, text: text.replace(/(^|[ \t])#+[ \t]*$/, '').trim() })
  }
  return headings
}

/** The text without the empty lines around it. */
function trimLines(lines: string[]): string {
  return lines
    .join('\n')
    .replace(/^(?:[ \t]*\n)+/, '')
    .trimEnd()
}

/** Acceptance criteria are the items of a list, with or without checkboxes. Indented text below an item belongs to it. */
function readCriteria(lines: string[]): { criteria: string[]; others: string[] } {
  const items: string[][] = []
  const others: string[] = []
  let item: { lines: string[]; offset: number } | null = null
  let gap = 0
  let fence: string | null = null
  for (const line of lines) {
    // Code that belongs to no item often contains lines that only look like items.
    if (fence !== null) {
      others.push(line)
      if (line.trim() === fence) fence = null
      continue
    }
    if (line.trim() === '') {
      if (item) gap += 1
      else others.push('')
      continue
    }
    const indent = /^[ \t]*/.exec(line)?.[0].replaceAll('\t', '    ').length ?? 0
    const [, before = '', first = ''] = /^([ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+)(.*)$/.exec(line) ?? []
    if (before !== '' && indent < (item ? item.offset : 4)) {
      item = { lines: [first.replace(/^\[[ xX]\][ \t]+/, '')], offset: before.length }
      items.push(item.lines)
    } else if (item && (indent > 1 || (gap === 0 && isPlain(line)))) {
      item.lines.push(...Array<string>(gap).fill(''), line.slice(Math.min(leading(line), item.offset)))
    } else {
      item = null
      others.push(line)
      fence = /^(`{3,}|~{3,})/.exec(line)?.[1] ?? null
    }
    gap = 0
  }
  return { criteria: items.map((each) => each.join('\n').trimEnd()).filter((text) => text !== ''), others }
}

/** A line that continues the sentence before it and begins nothing new. */
function isPlain(line: string): boolean {
  return !/^(#{1,6}[ \t]|`{3}|~{3}|\||>)/.test(line)
}

function leading(line: string): number {
  return line.length - line.trimStart().length
}
