/** Acceptance criteria are the items of a list, boxes to be ticked or not; what is indented below an item belongs to it. */
export function readCriteria(lines: string[]): { criteria: string[]; others: string[] } {
  const items: string[][] = []
  const others: string[] = []
  let item: { lines: string[]; offset: number } | null = null
  let gap = 0
  let fence: string | null = null
  for (const line of lines) {
    // Code that belongs to no item is full of lines that only look like items.
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

/** A line that goes on with the sentence before it, and begins nothing of its own. */
function isPlain(line: string): boolean {
  return !/^(#{1,6}[ \t]|`{3}|~{3}|\||>)/.test(line)
}

function leading(line: string): number {
  return line.length - line.trimStart().length
}
