import type * as z from 'zod'
import { configKeys, isSection, knownKeys } from './config-keys.ts'
import { fileSchema } from './schema.ts'
import { nearest, type Problem, problemAt } from './yaml/problem.ts'
import { type KeyPath, nodeAt, quote, removeAt, type SourceNode, toPlain } from './yaml/source-tree.ts'

/**
 * Checks one file on its own and removes wrong values, so that the rest can still be merged and checked together with
 * the other files. That way the person sees all problems at once.
 */
export function checkLayer(root: SourceNode): Problem[] {
  dropEmptySections(root, [])
  const problems = takeNotYet(root)
  const result = fileSchema.safeParse(toPlain(root))
  if (result.success) return problems
  const found = result.error.issues.flatMap((issue) => explain(root, issue))
  for (const { path } of found) removeAt(root, path)
  return [...problems, ...found]
}

/** A section whose lines are all commented out (`gates:` and nothing else) is empty, not wrong. */
function dropEmptySections(node: SourceNode, path: KeyPath): void {
  if (!(node.value instanceof Map)) return
  for (const [key, child] of node.value) {
    const childPath = [...path, key]
    if (child.value === null && isSection(childPath)) node.value.delete(key)
    else dropEmptySections(child, childPath)
  }
}

function explain(root: SourceNode, issue: z.core.$ZodIssue): Problem[] {
  const path = issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step))
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => problemAt(root, [...path, key], unknownKey(path, key)))
  }
  if (issue.code === 'invalid_key') return [problemAt(root, path, issue.issues[0]?.message ?? issue.message)]
  const value = nodeAt(root, path)?.value
  const choices = issue.code === 'invalid_value' ? issue.values.map(String) : []
  const meant = typeof value === 'string' ? nearest(value, choices) : null
  const hint = meant && choices.length > 1 ? `; did you mean ${meant}?` : hintFor(path)
  return [problemAt(root, path, `${issue.message}${showFound(path, value)}${hint}`)]
}

/** People usually define a built-in agent only to set its model, so the hint says where the model belongs. */
function hintFor([section, , key]: KeyPath): string {
  if (section !== 'agents' || key !== 'agent') return ''
  return '; to use a built-in agent, name it under roles and set its model, args and env there'
}

function unknownKey(path: KeyPath, key: string): string {
  const known = knownKeys(path)
  const meant = nearest(key, known) ?? elsewhere(key)
  if (meant === key) return 'unknown key here; it belongs at the top of the file'
  if (meant) return `unknown key, did you mean ${meant}?`
  return `unknown key; known here: ${known.join(', ')}`
}

/** The right key in the wrong place: `retries` at the top is `review.retries`. */
function elsewhere(key: string): string | null {
  const places = configKeys().filter((path) => !path.includes('*') && path.split('.').at(-1) === key)
  return places[0] ?? null
}

/** Never repeats values of environment variables, addresses and command lines: they may be secrets. */
function showFound(path: KeyPath, value: unknown): string {
  if (path.includes('env') || (path[0] === 'notify' && path.at(-1) !== 'quiet')) return ''
  if (value === null) return ', but the value is empty'
  if (typeof value === 'string') return `, found ${quote(value)}`
  return typeof value === 'number' || typeof value === 'boolean' ? `, found ${value}` : ''
}

/** `*` stands for any name. With `values`, only these values of the key (or items of its list) are meant. */
interface NotYet {
  key: string
  values?: readonly string[]
  instead?: string
}

/**
 * Keys that are planned but not implemented yet. Umpire refuses them, because an option that nothing reads is a defect.
 * To implement one, delete its row here and add the key to the schema.
 */
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
function takeNotYet(root: SourceNode): Problem[] {
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
