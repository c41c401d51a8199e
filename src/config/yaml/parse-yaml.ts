import { LineCounter, Parser, parseDocument } from 'yaml'
import { buildTree, deepest, Unbuildable } from './build-tree.ts'
import type { Problem } from './problem.ts'
import { quote, type SourceNode } from './source-tree.ts'

export type ParsedYaml =
  /** `root` is null for an empty file. Values with problems are left out of it. */
  { kind: 'read'; root: SourceNode | null; problems: Problem[] } | { kind: 'unreadable'; problems: Problem[] }

export function parseYaml(file: string, text: string): ParsedYaml {
  const fail = (line: number | null, why: string): ParsedYaml => {
    return { kind: 'unreadable', problems: [{ file, line, path: [], text: why }] }
  }
  // The composer recurses, and at a few thousand levels Node aborts instead of throwing.
  if (nesting(text) > deepest) return fail(null, 'is nested too deeply')

  const lines = new LineCounter()
  const lineOf = (offset: number) => Math.max(1, lines.linePos(offset).line)
  // `buildTree` finds duplicate keys, because it can name the line of the first one.
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: false, prettyErrors: false })
  const complaints = [...document.errors, ...document.warnings].slice(0, 10)
  if (complaints.length > 0) {
    const problems = complaints.map(({ code, message, pos }) => {
      return { file, line: lineOf(pos[0]), path: [], text: explain(code, message) }
    })
    return { kind: 'unreadable', problems }
  }

  try {
    const { root, problems } = buildTree(file, document, lineOf)
    if (root.value === null) return { kind: 'read', root: null, problems }
    if (root.value instanceof Map) return { kind: 'read', root, problems }
    const found = Array.isArray(root.value) ? 'a list' : quote(String(root.value))
    return fail(root.line, `must be a mapping of keys to values, not ${found}`)
  } catch (error) {
    if (error instanceof Unbuildable) return fail(error.line, error.message)
    throw error
  }
}

/** How deeply collections are nested. Uses the low-level parser, which does not recurse. */
function nesting(text: string): number {
  let depth = -1
  let level: object[] = [...new Parser().parse(text)]
  while (level.length > 0 && depth <= deepest) {
    depth += 1
    level = level.flatMap((token) => {
      const items = 'items' in token && Array.isArray(token.items) ? token.items : []
      const inner = items.flatMap((item: { key?: unknown; value?: unknown }) => [item.key, item.value])
      return [...inner, 'value' in token ? token.value : null].filter(isObject)
    })
  }
  return depth
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** The parser's own message, except where it is written for programmers. */
function explain(code: string, message: string): string {
  if (code === 'TAB_AS_INDENT') return 'tabs cannot be used for indentation; use spaces'
  if (code === 'MULTIPLE_DOCS') return 'only one document is read; remove the line ---'
  return `not valid YAML: ${message.split('\n', 1).join('').replace(/\p{C}/gu, '?')}`
}
