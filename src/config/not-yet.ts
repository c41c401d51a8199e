/**
 * Keys that are planned but not implemented yet. Umpire refuses them, because an option that nothing reads is a defect.
 * To implement one, delete its row here and add the key to the schema.
 */
import type { Problem } from './yaml/problem.ts'
import { nodeAt, quote, removeAt, type SourceNode } from './yaml/source-tree.ts'

/** `*` stands for any name. With `values`, only these values of the key (or items of its list) are meant. */
interface NotYet {
  key: string
  values?: readonly string[]
  instead?: string
}

const notYet: readonly NotYet[] = [
  { key: 'roles.planner' },
  { key: 'roles.spec_reviewer' },
  { key: 'roles.spec_editor' },
  { key: 'vcs', values: ['jj'], instead: 'use git' },
  { key: 'spec' },
  { key: 'task_types.plan' },
  { key: 'task_types.spec' },
]

/** Finds keys that are not available yet and removes them from the tree, so that they are not also called unknown. */
export function takeNotYet(root: SourceNode): Problem[] {
  return notYet.flatMap((row) =>
    writtenPaths(root, row.key.split('.')).flatMap((path) => take(root, row, path)),
  )
}

function writtenPaths(node: SourceNode, pattern: string[], path: string[] = []): string[][] {
  const [step, ...rest] = pattern
  if (step === undefined) return [path]
  const { value } = node
  if (!(value instanceof Map)) return []
  const keys = step === '*' ? [...value.keys()] : [step]
  return keys.flatMap((key) => {
    const child = value.get(key)
    return child ? writtenPaths(child, rest, [...path, key]) : []
  })
}

function take(root: SourceNode, { values, instead }: NotYet, path: string[]): Problem[] {
  const node = nodeAt(root, path)
  if (!node) return []
  const isMeant = (item: SourceNode) =>
    typeof item.value === 'string' && values?.includes(item.value) === true
  const refuse = (item: SourceNode): Problem => {
    const what = values ? `${quote(String(item.value))} is not yet available` : 'not yet available'
    return { file: item.file, line: item.line, path, text: instead ? `${what}; ${instead}` : what }
  }
  if (values && Array.isArray(node.value)) {
    const taken = node.value.filter(isMeant)
    node.value = node.value.filter((item) => !isMeant(item))
    if (taken.length > 0 && node.value.length === 0) removeAt(root, path)
    return taken.map(refuse)
  }
  if (values && !isMeant(node)) return []
  removeAt(root, path)
  return [refuse(node)]
}
