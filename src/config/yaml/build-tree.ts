import { type Document, isAlias, isMap, isNode, isScalar, isSeq, type Pair } from 'yaml'
import type { Problem } from './problem.ts'
import type { KeyPath, Scalar, SourceMap, SourceNode } from './source-tree.ts'

/**
 * Aliases count with everything they expand to. So an alias bomb hits the limit on values, and an alias that contains
 * itself hits the limit on depth.
 */
export const deepest = 40
const mostValues = 10_000
const mostAliases = 100

/** A fault that makes the whole file unusable. */
export class Unbuildable extends Error {
  readonly line: number
  constructor(line: number, why: string) {
    super(why)
    this.line = line
  }
}

/** Builds our own tree of a YAML document, with problems for the keys that were left out. Throws Unbuildable. */
export function buildTree(
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
