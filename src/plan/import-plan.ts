/**
 * Imports plan files. It checks everything before it writes anything. The journal appends to one task at a time, so the
 * order is chosen such that a kill in between leaves no circular dependencies. Importing again completes the plan and
 * duplicates nothing.
 */
import { createBooks } from '../app/books.ts'
import type { Repository } from '../app/repository.ts'
import { UserError } from '../core/errors.ts'
import type { Task, TaskSource } from '../core/task.ts'
import { oneLine } from '../lib/text/printable.ts'
import { sha256 } from '../lib/text/sha256.ts'
import type { Books } from '../loop/record.ts'
import { checkTask } from '../moves/check-task.ts'
import { addTask, applyScheduleAfter, checkAgents, movePerson, personName } from '../moves/make-move.ts'
import type { Journal } from '../store/journal.ts'
import type { Store } from '../store/store.ts'
import { decideImport, type ImportStep, inFilingOrder } from './decide-import.ts'
import type { Filed } from './find-filed.ts'
import type { PlanProblem } from './format/plan-file.ts'
import { type ReadPlans, readPlanFiles } from './read-plan-files.ts'

export interface ImportReport {
  tasks: ImportedTask[]
  /** Files that did not become a task. */
  skipped: { file: string; why: string }[]
}

export interface ImportedTask {
  id: number
  file: string
  /** The plan’s folder and the number in it. */
  plan: string
  task: number
  title: string
  did: 'added' | 'changed' | 'unchanged'
  note: string | null
}

export async function importPlan(
  paths: string[],
  cwd: string,
  store: Store,
  repository: Repository,
): Promise<ImportReport> {
  const read = await readPlanFiles(paths, cwd, repository.root)
  const begin = await store.journal.lastSeq()
  const decision = decideImport(read.files, await readFiled(store), (await storeName(store.journal)) ?? '')
  const { steps } = decision
  const ofOrder = decision.kind === 'problems' ? decision.problems : []
  refuse([...read.problems, ...ofOrder, ...(await sayWrongTasks(steps, repository))], read)
  const books = createBooks(store, repository)
  const ids = await applyScheduleAfter(store, repository, books, () =>
    apply(steps, personName(repository), begin, books),
  )
  return report(steps, read, (id) => ids.get(id) ?? id)
}

/** All tasks that are not deleted. */
export async function readFiled({ archive }: Store): Promise<Filed[]> {
  const filed: Filed[] = []
  for (const { id, status } of await archive.tasks()) {
    const loop = await archive.loop(id)
    if (loop) filed.push({ id, status, task: loop.task, begun: loop.work.place !== null })
  }
  return filed
}

function refuse(problems: PlanProblem[], { files, others }: ReadPlans): void {
  if (problems.length > 0) {
    const lines = problems.map(
      ({ file, line, text }) => `${line === null ? file : `${file}:${line}`}: ${oneLine(text, 400)}`,
    )
    throw new UserError(
      [`${count(problems.length, 'problem')}, so nothing was imported:`, ...new Set(lines)].join('\n'),
    )
  }
  if (files.length > 0) return
  const [first] = others
  throw new UserError(
    `There is no plan file among ${count(others.length, 'Markdown file')}${first ? ` (${first.file} ${first.why})` : ''}.`,
    'A plan file begins with front matter that has a task number: ---, task: 1, ---.',
  )
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`
}

/** The checks that every new task must pass. */
async function sayWrongTasks(steps: ImportStep[], repository: Repository): Promise<PlanProblem[]> {
  const problems: PlanProblem[] = []
  for (const step of steps) {
    if ((step.kind !== 'add' && step.kind !== 'change') || step.from.isPartial) continue
    const task = step.kind === 'add' ? step.task : step.changes
    try {
      checkTask(task)
      await checkAgents(task, repository, {})
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      problems.push({ file: step.from.file, line: null, text: error.message })
    }
  }
  return problems
}

/** Returns the numbers of the new tasks. */
async function apply(
  steps: ImportStep[],
  by: string,
  begin: number,
  books: Books,
): Promise<Map<number, number>> {
  const ids = new Map<number, number>()
  const real = (id: number) => ids.get(id) ?? id
  const withIds = <T extends Partial<Task>>(task: T): T => ({
    ...task,
    ...(task.dependsOn && { dependsOn: task.dependsOn.map(real) }),
    ...(task.of && { of: real(task.of) }),
  })
  const change = async (id: number, changes: Partial<Task>) => {
    if (Object.keys(changes).length === 0) return
    await movePerson(id, { kind: 'change', changes }, by, books, async () => [])
  }

  // Removed dependencies go first, so that two tasks that swap places never wait for each other.
  const changed = steps.filter((step) => step.kind === 'change')
  for (const { id, changes, before } of changed) await change(id, onlyFewer(before, changes))
  const refuseDouble = createDoubleGuard(begin, books.journal)
  for (const { id, task } of inFilingOrder(steps)) {
    ids.set(id, await addTask(withIds(task), by, books, () => refuseDouble(task, [...ids.values()])))
  }
  for (const { id, changes, before } of changed) await change(id, withIds(withoutFewer(before, changes)))
  return ids
}

/** The remaining dependencies, if some are removed. */
function onlyFewer({ dependsOn }: Task, { dependsOn: wanted = dependsOn }: Partial<Task>): Partial<Task> {
  const kept = dependsOn.filter((id) => wanted.includes(id))
  return kept.length < dependsOn.length ? { dependsOn: kept } : {}
}

/** The changes that are left after that. */
function withoutFewer({ dependsOn: before }: Task, changes: Partial<Task>): Partial<Task> {
  const { dependsOn, ...others } = changes
  return dependsOn?.some((id) => !before.includes(id)) ? changes : others
}

function report(steps: ImportStep[], read: ReadPlans, real: (id: number) => number): ImportReport {
  return {
    tasks: steps.flatMap((step): ImportedTask[] => {
      if (step.kind === 'skip') return []
      const { file, folder, plan } = step.from
      const did = ({ add: 'added', change: 'changed', keep: 'unchanged' } as const)[step.kind]
      const note = step.kind === 'add' ? null : step.note
      return [{ id: real(step.id), file, plan: folder, task: plan.task, title: plan.title, did, note }]
    }),
    skipped: [
      ...read.others,
      ...steps.flatMap((step) => (step.kind === 'skip' ? [{ file: step.from.file, why: step.note }] : [])),
    ],
  }
}

/** Another process may import the same plan at the same time. */
function createDoubleGuard(begin: number, journal: Journal) {
  let cursor = begin
  const others: TaskSource[] = []
  return async ({ source }: Task, own: number[]): Promise<void> => {
    for (const event of await journal.list({ types: ['task.added'], after: cursor })) {
      cursor = event.seq
      const isOwn = own.some((id) => event.stream === `task/${id}`)
      if (event.type === 'task.added' && event.data.task.source && !isOwn) others.push(event.data.task.source)
    }
    if (source && others.some(({ plan, task }) => plan === source.plan && task === source.task))
      throw new UserError(
        `Another process is importing the plan ${oneLine(source.plan, 120)} right now.`,
        'Import it again when that is done. Nothing will be duplicated.',
      )
  }
}

/** A unique name of the store, derived from its first event. Null for an empty store. */
export async function storeName(journal: Journal): Promise<string | null> {
  const [first] = await journal.list({ limit: 1 })
  return first ? sha256(JSON.stringify([first.at, first.type, first.data])).slice(0, 12) : null
}
