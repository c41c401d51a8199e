/**
 * Decides what importing a plan does: which tasks it adds, which it changes, which it leaves alone and why. Pure. It
 * returns either all problems or all steps. New tasks have negative numbers until they are filed.
 */
import { isDeepStrictEqual } from 'node:util'
import { addedTo, joinsGroup } from '../core/person/move.ts'
import {
  dependencyObstacle,
  findCycle,
  inDependencyOrder,
  type Ordered,
} from '../core/schedule/dependencies.ts'
import { newTask, type Task, type TaskStatus } from '../core/task.ts'
import { type Filed, findFiled, resolveNumber } from './find-filed.ts'
import type { PlanFile, PlanProblem } from './format/plan-file.ts'

/** A plan file to import. */
export interface ImportedFile {
  file: string
  /** The folder of its plan. Task numbers in the file belong to this plan. */
  folder: string
  plan: PlanFile
  lineOf: (key: string) => number | null
  /** The file has problems that are already reported. What seems to be missing may just be written wrongly. */
  isPartial?: boolean
}

export type ImportStep =
  | { kind: 'add'; from: ImportedFile; id: number; task: Task }
  | {
      kind: 'change'
      from: ImportedFile
      id: number
      before: Task
      changes: Partial<Task>
      note: string | null
    }
  /** The task exists and stays as it is. */
  | { kind: 'keep'; from: ImportedFile; id: number; note: string | null }
  | { kind: 'skip'; from: ImportedFile; note: string }

export type ImportDecision =
  | { kind: 'steps'; steps: ImportStep[] }
  /** The steps that would be taken without the problems, so that the caller can check them, too. */
  | { kind: 'problems'; problems: PlanProblem[]; steps: ImportStep[] }

/** `store` is the name of the store of the `filed` tasks. It identifies files that were exported from here. */
export function decideImport(files: ImportedFile[], filed: Filed[], store: string): ImportDecision {
  const problems: PlanProblem[] = []
  const complain = ({ file, lineOf }: ImportedFile, key: string, text: string) =>
    void problems.push({ file, line: lineOf(key), text })

  const matched = new Map(files.map((from) => [from, findFiled(from, filed, store)]))
  sayDoubles(files, matched, complain)
  const skipped = new Set(
    files.filter((from) => isOver(from.plan.status) && !matched.get(from)).map((from) => from),
  )
  const idOf = new Map<ImportedFile, number>()
  for (const [place, from] of files.entries()) idOf.set(from, matched.get(from)?.id ?? -1 - place)

  const lookUp = (from: ImportedFile, number: number, key: string): number[] => {
    const sibling = files.find(({ folder, plan }) => folder === from.folder && plan.task === number)
    if (sibling && skipped.has(sibling)) {
      if (sibling.plan.status === 'completed' && key === 'depends_on') return []
      complain(
        from,
        key,
        `${key}: ${sibling.file} says that task ${number} is ${sibling.plan.status}, so it is not imported`,
      )
      return []
    }
    const id = sibling ? idOf.get(sibling) : resolveNumber(from, number, filed, store)
    if (id !== undefined && id !== null) return [id]
    complain(from, key, `${key}: there is no task ${number} in this plan`)
    return []
  }

  const steps: ImportStep[] = []
  for (const from of files) {
    const { plan } = from
    if (skipped.has(from)) {
      steps.push({ kind: 'skip', from, note: `says that it is ${plan.status}, so no task is added` })
      continue
    }
    const wanted = {
      dependsOn: plan.dependsOn.flatMap((number) => lookUp(from, number, 'depends_on')),
      of: plan.of === null ? null : (lookUp(from, plan.of, 'of')[0] ?? null),
    }
    const existing = matched.get(from)
    if (existing) steps.push(stepFor(from, existing, changesTo(existing.task, plan, wanted)))
    else {
      const source = { plan: from.folder, task: plan.task }
      const task = { ...newTask(plan.title), ...changesTo(newTask(plan.title), plan, wanted), source }
      steps.push({ kind: 'add', from, id: idOf.get(from) ?? 0, task })
    }
  }
  for (const step of steps.filter(({ from }) => !from.isPartial)) {
    const { type, of } = taskAfter(step) ?? {}
    if (type === 'review' && of === null)
      complain(step.from, 'type', 'of: is missing; name the task to review')
    if (of && type !== 'review' && type !== 'improve')
      complain(step.from, 'of', 'of: only the types review and improve can have it')
  }
  reportDeadlocks(steps, filed, complain)
  if (problems.length > 0) return { kind: 'problems', problems, steps }
  return { kind: 'steps', steps }
}

/** Sorts new tasks so that each comes after all that it waits for. */
export function inFilingOrder(steps: ImportStep[]): (ImportStep & { kind: 'add' })[] {
  const added = steps.filter((step) => step.kind === 'add')
  const ordered = inDependencyOrder(added.map(({ id, task: { dependsOn, of } }) => ({ id, dependsOn, of })))
  return ordered.flatMap(({ id }) => added.filter((step) => step.id === id))
}

function stepFor(from: ImportedFile, filed: Filed, wanted: Partial<Task>): ImportStep {
  const { id, task, status } = filed
  const changes = withoutLateOrder(filed, wanted)
  const changed = Object.keys(changes).length > 0
  if (Object.keys(wanted).length > 0 && isOver(status))
    return { kind: 'keep', from, id, note: `is ${status}, so it was not changed` }
  const saysOver = isOver(from.plan.status) && !isOver(status)
  const notes = [
    ...(saysOver
      ? [
          `is ${status}, although the file says ${from.plan.status}; to change that: ${wordFor(from.plan.status, id)}`,
        ]
      : []),
    ...(changes.dependsOn === wanted.dependsOn
      ? []
      : ['has started, so it cannot get new dependencies; add a new task instead']),
    ...(changes.group === wanted.group
      ? []
      : ['has started, so it cannot join another group; add a new task instead']),
  ]
  if (notes.length === 0 && changed && status === 'in_progress')
    notes.push('is being worked on; the running session still has the old text')
  const note = notes.length === 0 ? null : notes.join('; ')
  if (!changed) return { kind: 'keep', from, id, note }
  return { kind: 'change', from, id, before: task, changes, note }
}

/** A started task can't build on more work of others. It can only lose dependencies or leave its group. */
function withoutLateOrder({ task, begun }: Filed, asked: Partial<Task>): Partial<Task> {
  if (!begun) return asked
  const { group: _, ...ungrouped } = asked
  const wanted = joinsGroup(task, asked) ? ungrouped : asked
  const added = addedTo(task, wanted)
  if (added.length === 0) return wanted
  const { dependsOn = [], ...others } = wanted
  const kept = dependsOn.filter((id) => !added.includes(id))
  return kept.length < task.dependsOn.length ? { ...others, dependsOn: kept } : others
}

function wordFor(status: TaskStatus, id: number): string {
  return status === 'completed' ? `umpire edit ${id} --verdict APPROVED` : `umpire cancel ${id}`
}

function isOver(status: TaskStatus): boolean {
  return status === 'completed' || status === 'cancelled'
}

function taskAfter(step: ImportStep): Task | null {
  if (step.kind === 'add') return step.task
  return step.kind === 'change' ? { ...step.before, ...step.changes } : null
}

type Complain = (from: ImportedFile, key: string, text: string) => void

function sayDoubles(
  files: ImportedFile[],
  matched: Map<ImportedFile, Filed | null>,
  complain: Complain,
): void {
  const numbers = new Map<string, ImportedFile>()
  const ids = new Map<number, ImportedFile>()
  for (const from of files) {
    const key = JSON.stringify([from.folder, from.plan.task])
    const id = matched.get(from)?.id
    const twin = numbers.get(key)
    const same = id === undefined ? undefined : ids.get(id)
    if (twin) complain(from, 'task', `task: ${twin.file} has the number ${from.plan.task}, too`)
    else if (same) complain(from, 'umpire', `umpire: ${same.file} is task #${id}, too`)
    numbers.set(key, twin ?? from)
    if (id !== undefined) ids.set(id, same ?? from)
  }
}

/** Checks existing and new tasks together. Each circle of dependencies is reported once. */
function reportDeadlocks(steps: ImportStep[], filed: Filed[], complain: Complain): void {
  const after = new Map<number, Ordered>(
    filed.map(({ id, status, task: { dependsOn, of, group } }) => [id, { id, status, dependsOn, of, group }]),
  )
  const names = new Map<number, string>()
  for (const step of steps) {
    if (step.kind === 'skip') continue
    names.set(step.id, String(step.from.plan.task))
    const task = taskAfter(step)
    const status = step.kind === 'add' ? 'pending' : (after.get(step.id)?.status ?? 'pending')
    if (task) after.set(step.id, { id: step.id, status, ...orderOf(task) })
  }
  const tasks = [...after.values()]
  const said = new Set<number>()
  for (const step of steps) {
    if ((step.kind !== 'add' && step.kind !== 'change') || said.has(step.id)) continue
    const obstacle = dependencyObstacle(tasks, step.id, (id) => names.get(id) ?? `#${id}`)
    if (!obstacle) continue
    for (const id of findCycle(tasks, step.id) ?? []) said.add(id)
    const key = step.from.plan.dependsOn.length > 0 ? 'depends_on' : 'group'
    complain(step.from, key, `${key}: ${obstacle.why}`)
  }
}

function orderOf({ dependsOn, of, group }: Task): Pick<Ordered, 'dependsOn' | 'of' | 'group'> {
  return { dependsOn, of, group }
}

/** The changes that make a task match the file. Settings that the file does not mention stay. */
function changesTo(
  task: Task,
  plan: PlanFile,
  { dependsOn, of }: { dependsOn: number[]; of: number | null },
): Partial<Task> {
  const { title, description, scope, accept, gates, group, settings } = plan
  const wanted: Partial<Task> = { title, description, scope, accept, gates, group, ...settings }
  if (plan.of !== null) wanted.of = of
  // The order of dependencies does not matter.
  if (!isDeepStrictEqual(sorted(dependsOn), sorted(task.dependsOn))) wanted.dependsOn = dependsOn
  const now: Record<string, unknown> = { ...task }
  return Object.fromEntries(
    Object.entries(wanted).filter(([key, value]) => !isDeepStrictEqual(value, now[key])),
  )
}

function sorted(ids: number[]): number[] {
  return ids.toSorted((one, other) => one - other)
}
