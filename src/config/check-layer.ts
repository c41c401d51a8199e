import type * as z from 'zod'
import { configKeys, isSection, knownKeys } from './config-keys.ts'
import { takeNotYet } from './not-yet.ts'
import { fileSchema } from './schema.ts'
import { nearest } from './yaml/nearest.ts'
import { type Problem, problemAt } from './yaml/problem.ts'
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
