import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Pair,
  Parser,
  parseDocument,
} from 'yaml'
import type { Problem } from './problem.ts'
import { type KeyPath, quote, type Scalar, type SourceMap, type SourceNode } from './source-tree.ts'

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

/**
 * Aliases count with everything they expand to. So an alias bomb hits the limit on values, and an alias that contains
 * itself hits the limit on depth.
 */
const deepest = 40
const mostValues = 10_000
const mostAliases = 100

/** A fault that makes the whole file unusable. */
class Unbuildable extends Error {
  readonly line: number
  constructor(line: number, why: string) {
    super(why)
    this.line = line
  }
}

/** Builds our own tree of a YAML document, with problems for the keys that were left out. Throws Unbuildable. */
function buildTree(
  file: string,
  document: Document,
  lineOf: (offset: number) => number,
): { root: SourceNode; problems: Problem[] } {
  const problems: Problem[] = []
  let values = 0
  let aliases = 0

  function build(node: unknown, line: number, path: KeyPath): SourceNode {
    values += 1
    if (values > mostValues) throw new Unbuildable(line, 'too many values')
    if (path.length > deepest) throw new Unbuildable(line, 'nested too deeply, or an alias contains itself')
    if (isAlias(node)) {
      aliases += 1
      if (aliases > mostAliases) throw new Unbuildable(line, 'too many aliases')
      const target = node.resolve(document)
      if (!target) throw new Unbuildable(line, 'an alias has no anchor before it')
      return build(target, line, path)
    }
    if (isMap(node)) return { file, line, value: buildMap(node.items, line, path) }
    if (isSeq(node)) {
      const items = node.items.map((item, place) => build(item, startLine(item, line), [...path, place]))
      return { file, line, value: items }
    }
    return { file, line, value: scalarOf(node, line) }
  }

  function buildMap(pairs: Pair[], mapLine: number, path: KeyPath): SourceMap {
    const map: SourceMap = new Map()
    for (const { key, value } of pairs) {
      const line = startLine(key, mapLine)
      if (!isScalar(key) || key.value === null) throw new Unbuildable(line, 'a key must be plain text')
      const name = typeof key.value === 'string' ? key.value : (key.source ?? String(key.value))
      const first = map.get(name)
      const leaveOut = (text: string) => problems.push({ file, line, path: [...path, name], text })
      if (first) leaveOut(`is written twice, first on line ${first.line}`)
      // A plain object with this key would have its prototype changed.
      else if (name === '__proto__') leaveOut('cannot be used as a key')
      else map.set(name, build(value, line, [...path, name]))
    }
    return map
  }

  function startLine(node: unknown, otherwise: number): number {
    const start = isNode(node) ? node.range?.[0] : undefined
    return start === undefined ? otherwise : lineOf(start)
  }

  return { root: build(document.contents, startLine(document.contents, 1), []), problems }
}

/** A key without a value has no node or an empty one. Dates and bytes, which YAML tags can create, are refused. */
function scalarOf(node: unknown, line: number): Scalar {
  const value: unknown = isScalar(node) ? node.value : null
  if (value === null || typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return value
  throw new Unbuildable(line, 'a value must be text, a number, true or false; put it in quotes')
}
