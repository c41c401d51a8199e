import type { KeyPath, SourceMap, SourceNode } from './source-tree.ts'

/** Lays the later file over the earlier one: mappings are merged key by key, lists and single values replaced. */
export function mergeLayers(below: SourceNode, above: SourceNode, path: KeyPath = []): SourceNode {
  const lower = path.length === 2 && path[0] === 'roles' ? longForm(below) : below
  if (!(lower.value instanceof Map) || !(above.value instanceof Map)) return above
  if (isAnother(path, lower.value, above.value)) return above
  const merged: SourceMap = new Map(lower.value)
  for (const [key, child] of above.value) {
    const old = merged.get(key)
    merged.set(key, old ? mergeLayers(old, child, [...path, key]) : child)
  }
  return { ...above, value: merged }
}

/** A role that is written as a name alone, so that `{ model: … }` in a later file goes on from it. */
function longForm(node: SourceNode): SourceNode {
  return typeof node.value === 'string' ? { ...node, value: new Map([['agent', node]]) } : node
}

/** The model and the arguments of one agent mean nothing to another, so a role or an agent that changes starts anew. */
function isAnother(path: KeyPath, lower: SourceMap, upper: SourceMap): boolean {
  if (path.length !== 2) return false
  if (path[0] === 'roles') {
    const agent = upper.get('agent')
    return agent !== undefined && agent.value !== lower.get('agent')?.value
  }
  if (path[0] !== 'agents') return false
  return (upper.has('command') && lower.has('agent')) || (upper.has('agent') && lower.has('command'))
}
