/** The keys of a plan file's front matter and their values. Types are strict: "2" is not a number and 2 is not text. */
import { nearest } from '../../config/yaml/problem.ts'
import { quote, type SourceNode } from '../../config/yaml/source-tree.ts'
import { efforts } from '../../core/policy/effort.ts'
import { lastGroup, type TaskStatus, taskTypes } from '../../core/task.ts'
import type { ExportMark } from './plan-file.ts'

/** The parsed value, or what it should have been. */
export type Read<T> = { kind: 'read'; value: T } | { kind: 'wrong'; why: string }

const read = <T>(value: T): Read<T> => ({ kind: 'read', value })
const wrong = (wanted: string, { value }: SourceNode): Read<never> => ({
  kind: 'wrong',
  why: `${wanted}${found(value)}`,
})

/** Numbers belong to the plan, so a zero is fine. */
const lastNumber = 1_000_000_000

function wholeNumber(least: number, most: number) {
  return (node: SourceNode): Read<number> =>
    typeof node.value === 'number' &&
    Number.isInteger(node.value) &&
    node.value >= least &&
    node.value <= most
      ? read(node.value)
      : wrong(`must be a whole number from ${least} to ${most}`, node)
}

const taskNumber = wholeNumber(0, lastNumber)

function numbers(node: SourceNode): Read<number[]> {
  if (node.value === null) return read([])
  const all = Array.isArray(node.value) ? node.value : [node]
  const values: number[] = []
  for (const each of all) {
    const one = taskNumber(each)
    if (one.kind === 'wrong') return wrong('must be a list of task numbers, as in [1, 2]', each)
    values.push(one.value)
  }
  return read([...new Set(values)])
}

function text(node: SourceNode): Read<string> {
  return typeof node.value === 'string' ? read(node.value) : wrong('must be text', node)
}

function wordsIn(node: SourceNode): Read<string> {
  return typeof node.value === 'string' && node.value.trim() !== ''
    ? read(node.value)
    : wrong('must be text that is not empty', node)
}

function texts(what: string) {
  return (node: SourceNode): Read<string[]> => {
    const all = Array.isArray(node.value) ? node.value : [node]
    const values: string[] = []
    for (const each of all) {
      const one = wordsIn(each)
      if (one.kind === 'wrong') return wrong(what, each)
      values.push(one.value)
    }
    return read(values)
  }
}

function oneOf<T extends string>(choices: readonly T[]) {
  return (node: SourceNode): Read<T> => {
    const chosen = choices.find((choice) => choice === node.value)
    if (chosen !== undefined) return read(chosen)
    const meant = typeof node.value === 'string' ? nearest(node.value, choices) : null
    const wanted = `must be one of ${choices.join(', ')}`
    return wrong(meant ? `${wanted} (did you mean ${meant}?)` : wanted, node)
  }
}

const statusWords: Record<string, TaskStatus> = {
  pending: 'pending',
  todo: 'pending',
  open: 'pending',
  ready: 'pending',
  in_progress: 'in_progress',
  awaiting_review: 'awaiting_review',
  completed: 'completed',
  complete: 'completed',
  done: 'completed',
  blocked: 'blocked',
  failed: 'failed',
  cancelled: 'cancelled',
  canceled: 'cancelled',
}

function status(node: SourceNode): Read<TaskStatus> {
  const word =
    typeof node.value === 'string'
      ? node.value
          .trim()
          .toLowerCase()
          .replace(/[\s-]+/g, '_')
      : ''
  const known = Object.hasOwn(statusWords, word) ? statusWords[word] : undefined
  if (known) return read(known)
  const meant = word === '' ? null : nearest(word, Object.keys(statusWords))
  const wanted = 'must be pending, in_progress, completed or another status word'
  return wrong(meant ? `${wanted} (did you mean ${meant}?)` : wanted, node)
}

function flag(node: SourceNode): Read<boolean> {
  return typeof node.value === 'boolean' ? read(node.value) : wrong('must be true or false', node)
}

function mark(node: SourceNode): Read<ExportMark> {
  const written = typeof node.value === 'string' ? node.value : ''
  const [, id, store, digest] = /^([1-9]\d{0,14})@([0-9a-f]{12}):([0-9a-f]{12})$/.exec(written) ?? []
  return id && store && digest
    ? read({ id: Number(id), store, digest })
    : wrong('is written by umpire export; leave it unchanged or remove it', node)
}

export const planKeys = {
  task: taskNumber,
  title: wordsIn,
  status,
  backpressure: texts('must be a non-empty command, or a list of them'),
  depends_on: numbers,
  group: wholeNumber(1, lastGroup),
  type: oneOf(taskTypes.filter((type) => type !== 'plan' && type !== 'spec')),
  of: taskNumber,
  review: flag,
  max_cycles: wholeNumber(1, 1000),
  effort: oneOf(efforts),
  agent: wordsIn,
  model: wordsIn,
  reviewer: wordsIn,
  review_model: wordsIn,
  /** For text that can't be written in sections, for example because it contains headings. */
  description: text,
  scope: wordsIn,
  accept: texts('must be a non-empty text, or a list of them'),
  umpire: mark,
}

export type PlanKey = keyof typeof planKeys

export const planKeyNames = Object.keys(planKeys)

export function unknownKey(key: string): string {
  const meant = nearest(key, planKeyNames)
  return meant ? `unknown key, did you mean ${meant}?` : `unknown key; known keys: ${planKeyNames.join(', ')}`
}

function found(value: SourceNode['value']): string {
  if (value === null) return ', but the value is empty'
  if (value instanceof Map) return ', found a mapping'
  if (Array.isArray(value)) return ', found a list'
  return `, found ${typeof value === 'string' ? quote(value) : value}`
}
