import { UserError } from '../../core/errors.ts'
import type { Effort } from '../../core/policy/effort.ts'
import type { Verdict } from '../../core/review/review.ts'
import { summarise } from '../../core/summary.ts'
import { newTask, type Task, type TaskType } from '../../core/task.ts'
import { oneLine } from '../../lib/text/printable.ts'
import { checkTask } from '../../moves/check-task.ts'
import { fileTask, makeMove } from '../../moves/make-move.ts'
import { statusLine } from '../../view/status-line.ts'
import { readText } from '../arguments.ts'
import type { Invocation } from '../invocation.ts'
import { outputPaint, outputWidth, print } from '../screen/output.ts'
import { writeStore } from '../with-store.ts'

/** `from` is a dash when the description comes from standard input. `--file -` means the same. */
export async function add(
  title: string,
  from: '-' | undefined,
  options: TaskOptions,
  invocation: Invocation,
): Promise<void> {
  if (from && options.file !== undefined)
    throw new UserError('--file and - both give the description.', 'Give only one of them.')
  const given = from ? { ...options, file: from } : options
  const task = { ...newTask(title.trim()), ...(await taskChanges(given, invocation)) }
  checkTask(task)
  const id = await writeStore(invocation, (store, repository) => fileTask(task, store, repository))
  print(`#${id}`, invocation)
}

export interface EditOptions extends TaskOptions {
  title?: string
  verdict?: Verdict
  why?: string
}

export async function edit(id: number, options: EditOptions, invocation: Invocation): Promise<void> {
  const { title, verdict, why } = options
  const changes = {
    ...(title === undefined ? {} : { title: title.trim() }),
    ...(await taskChanges(options, invocation)),
  }
  checkTask(changes)
  const changesAny = Object.keys(changes).length > 0
  if (why !== undefined && verdict === undefined) {
    throw new UserError('--why works only together with --verdict.', 'Give the verdict that it explains.')
  }
  if (!changesAny && verdict === undefined) {
    throw new UserError('There is nothing to change.', 'umpire edit --help lists what can be changed.')
  }
  await writeStore(invocation, async (store, repository) => {
    if (changesAny) await makeMove(id, { kind: 'change', changes }, store, repository)
    if (verdict) await makeMove(id, { kind: 'verdict', verdict, why: why ?? null }, store, repository)
    const loop = await store.archive.loop(id)
    if (loop) print(statusLine(summarise(loop), outputPaint(invocation), outputWidth(invocation)), invocation)
    // With `land: base`, work that a reviewer approves lands automatically. Work that a person approves is merged by that person.
    if (verdict === 'APPROVED' && loop?.work.head && loop.policy?.land === 'base' && !loop.landing.landed)
      print(`    next: umpire merge ${id}`, invocation)
  })
}

export async function remove(id: number, invocation: Invocation): Promise<void> {
  await writeStore(invocation, async (store, repository) => {
    const loop = await makeMove(id, { kind: 'delete' }, store, repository)
    print(
      `Deleted task ${id}.${loop.work.place ? ` Its branch ${oneLine(loop.work.place.branch)} is still there.` : ''}`,
      invocation,
    )
  })
}

interface TaskOptions {
  description?: string
  file?: string
  type?: TaskType
  of?: number
  plan?: string
  accept?: string[]
  scope?: string
  after?: number[] | 'none'
  group?: number | 'none'
  gate?: string[]
  autoReview?: boolean
  review?: boolean
  maxCycles?: number
  effort?: Effort
  agent?: string
  model?: string
  reviewer?: string
  reviewModel?: string
}

/** Turns the options that `add` and `edit` share into changes to a task. */
async function taskChanges(options: TaskOptions, invocation: Invocation): Promise<Partial<Task>> {
  if (options.description !== undefined && options.file !== undefined) {
    throw new UserError('--description and --file both give the description.', 'Give only one of them.')
  }
  if (options.autoReview && options.review === false) {
    throw new UserError('--auto-review and --no-review contradict each other.', 'Give only one of them.')
  }
  if (options.type === 'plan' || options.type === 'spec') {
    throw new UserError(
      `Tasks of type ${options.type} are not yet available.`,
      'Give implement, improve or review.',
    )
  }
  const description =
    options.file === undefined ? options.description : await readText(options.file, invocation)
  const changes: Partial<Task> = {}
  if (description !== undefined) changes.description = description
  if (options.type !== undefined) changes.type = options.type
  if (options.of !== undefined) changes.of = options.of
  if (options.plan !== undefined)
    changes.plan = { path: options.plan, text: await readText(options.plan, invocation) }
  if (options.accept !== undefined) changes.accept = options.accept
  if (options.scope !== undefined) changes.scope = options.scope
  if (options.after !== undefined) changes.dependsOn = options.after === 'none' ? [] : options.after
  if (options.group !== undefined) changes.group = options.group === 'none' ? null : options.group
  if (options.gate !== undefined) changes.gates = options.gate
  if (options.autoReview) changes.autoReview = true
  if (options.review === false) changes.autoReview = false
  if (options.maxCycles !== undefined) changes.maxCycles = options.maxCycles
  if (options.effort !== undefined) changes.effort = options.effort
  if (options.agent !== undefined) changes.agent = options.agent
  if (options.model !== undefined) changes.model = options.model
  if (options.reviewer !== undefined) changes.reviewer = options.reviewer
  if (options.reviewModel !== undefined) changes.reviewModel = options.reviewModel
  return changes
}
