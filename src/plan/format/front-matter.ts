/** The lines between `---` and `---` at the very top of a file, and what comes after them. */
export type FrontMatter =
  /** `before` is how many lines stand before the body. */
  { kind: 'found'; yaml: string; body: string[]; before: number } | { kind: 'none' } | { kind: 'unended' }

export function splitFrontMatter(text: string): FrontMatter {
  const lines = text.replace(/^\ufeff/, '').split(/\r\n|\n/)
  if (!isFence(lines[0])) return { kind: 'none' }
  const end = lines.findIndex((line, at) => at > 0 && (isFence(line) || /^\.\.\.\s*$/.test(line)))
  if (end === -1) return { kind: 'unended' }
  const body = lines.slice(end + 1)
  // The first line is kept as an empty one, so that the lines of the YAML are counted as those of the file.
  return { kind: 'found', yaml: `\n${lines.slice(1, end).join('\n')}\n`, body, before: end + 1 }
}

function isFence(line: string | undefined): boolean {
  return line !== undefined && /^---\s*$/.test(line)
}
