/**
 * The entry point of the library: the engine behind the command, for a program that adds, runs and watches tasks. A
 * program that uses it acts in the name of the person who started it.
 */
import * as z from 'zod'
import type { Agent } from '../agents/agent.ts'
import { type Engine, openEngine } from '../app/engine.ts'
import { createEventViews } from '../app/event-views.ts'
import { refuseInSession } from '../app/refuse-in-session.ts'
import { openOrCreateStore, openRepository } from '../app/repository.ts'
import { noTask, UserError } from '../core/errors.ts'
import type { EventData, EventType, StoredEvent } from '../core/event.ts'
import type { Move } from '../core/person/move.ts'
import { type Effort, efforts } from '../core/policy/effort.ts'
import type { Verdict } from '../core/review/review.ts'
import { summarise, type TaskSummary } from '../core/summary.ts'
import { lastGroup, newTask, type Task, taskTypes } from '../core/task.ts'
import { checkTask } from '../moves/check-task.ts'
import { fileTask, makeMove } from '../moves/make-move.ts'
import { stepByHand } from '../moves/step-by-hand.ts'
import type { GateRow, ReviewRow, SessionRow } from '../store/archive.ts'
import type { Channel } from '../verdicts/channel.ts'

export interface UmpireOptions {
  /** Any folder in the repository; by default the working directory. */
  cwd?: string
  /** The environment of the agents. It also says where the person's own configuration is. By default that of this process. */
  env?: NodeJS.ProcessEnv
  /** Settings with the keys of `umpire.yaml`. They override the files. */
  settings?: object
  /** The program's own agents. Roles and tasks can name them. */
  agents?: Agent[]
  /** The program's own ways to read a reviewer's verdict. They come before the configured channels. */
  channels?: Channel[]
}

export interface RunOptions {
  /** Runs only these tasks; by default all tasks that are ready. */
  tasks?: number[]
  parallel?: number
  effort?: Effort
  /** The most this run may cost in dollars. Overrides the configured `budget.run`. */
  budget?: number
  /** Waits for more tasks until the signal aborts. */
  watch?: boolean
}

/** An event in the form of `umpire events --json`. `type` determines the type of `data`. */
export type UmpireEvent = {
  [T in EventType]: {
    seq: number
    at: string
    type: T
    task: number | null
    loop: string | null
    cycle: number | null
    message: string
    data: EventData[T]
  }
}[EventType]

export interface TaskDetails extends TaskSummary {
  definition: Task
  sessions: SessionRow[]
  reviews: ReviewRow[]
  gates: GateRow[]
}

export interface Umpire {
  /** Adds a task and returns its number. */
  add(task: Partial<Task> & { title: string }): Promise<number>
  tasks(): Promise<TaskSummary[]>
  task(id: number): Promise<TaskDetails>
  /** Works until no task is ready. An abort stops the agents and saves the state, and the next run continues. */
  run(options?: RunOptions, signal?: AbortSignal): Promise<TaskSummary[]>
  /** Runs one review now. */
  review(id: number, signal?: AbortSignal): Promise<TaskSummary>
  /** Runs one developer session now, with the last review and an optional note. */
  improve(id: number, note?: string, signal?: AbortSignal): Promise<TaskSummary>
  /** Merges approved work into its base branch. */
  merge(id: number, signal?: AbortSignal): Promise<TaskSummary>
  retry(id: number, why?: string): Promise<TaskSummary>
  cancel(id: number, why?: string): Promise<TaskSummary>
  setVerdict(id: number, verdict: Verdict, why?: string): Promise<TaskSummary>
  /** Marks issues, by their numbers, as not important. This does not approve the work. */
  waive(id: number, issues: number[], why: string): Promise<TaskSummary>
  /** Yields all events after a number, from all processes, and then waits for new ones until the signal aborts. */
  events(after: number, signal: AbortSignal): AsyncIterable<UmpireEvent>
  /** Interrupts everything that runs, as an abort does, and closes the store. */
  close(): Promise<void>
}

export async function openUmpire(options: UmpireOptions = {}): Promise<Umpire> {
  await refuseInSession('openUmpire', { cwd: process.cwd(), env: process.env })
  const { settings: given, agents = [], channels = [] } = options
  const brought = { agents, channels }
  const more = given ? { given, brought } : { brought }
  const repository = await openRepository(options.cwd ?? process.cwd(), process.env, options.env)
  const store = await openOrCreateStore(repository)

  const closing = new AbortController()
  const running = new Set<Promise<unknown>>()

  /**
   * Each run opens its own engine, and so reads the configuration again, as each call of the command does. `close` stops
   * every run and waits for it.
   */
  function withEngine<T>(
    { effort = null, budget = null }: { effort?: Effort | null; budget?: number | null },
    signal: AbortSignal,
    use: (engine: Engine, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const result = (async () => {
      const engine = await openEngine(repository, store, { effort, budget, observe: () => {}, ...more })
      try {
        return await use(engine, AbortSignal.any([signal, closing.signal]))
      } finally {
        await engine.close()
      }
    })()
    const over = result
      .then(
        () => {},
        () => {},
      )
      .finally(() => running.delete(over))
    running.add(over)
    return result
  }

  const run = (wanted: RunOptions, signal: AbortSignal) =>
    withEngine(checkedRun(wanted), signal, async (engine, ending) => {
      const { tasks: only = null, parallel = engine.parallel, watch = false, effort = null } = wanted
      const { worked } = await engine.work({ only, parallel, watch, effort }, ending)
      return worked.map(summarise)
    })

  const move = async (id: number, made: Move) => summarise(await makeMove(id, made, store, repository, more))

  const step = (id: number, made: Move, signal = never) =>
    withEngine({}, signal, async (engine, ending) =>
      summarise(await stepByHand(id, made, { engine, store, repository, given: more }, ending)),
    )

  async function find(id: number) {
    const loop = await store.archive.loop(id)
    if (!loop || loop.standing.deleted) throw noTask(id, 'tasks() lists them.')
    return loop
  }

  return {
    async add(task) {
      const parsed = parseTask(task)
      checkTask(parsed)
      return fileTask({ ...newTask(parsed.title), ...parsed }, store, repository, more)
    },
    tasks: () => store.archive.tasks(),
    async task(id) {
      const loop = await find(id)
      const { archive } = store
      const [sessions, reviews, gates] = await Promise.all([
        archive.sessions(id),
        archive.reviews(id),
        archive.gates(id),
      ])
      return { ...summarise(loop), definition: loop.task, sessions, reviews, gates }
    },
    run: (options = {}, signal = never) => run(options, signal),
    review: (id, signal) => step(id, { kind: 'review', why: null }, signal),
    improve: (id, note, signal) => step(id, { kind: 'improve', note: note ?? null, text: null }, signal),
    merge: (id, signal) => step(id, { kind: 'merge', why: null }, signal),
    retry: (id, why) => move(id, { kind: 'retry', why: why ?? null }),
    cancel: (id, why) => move(id, { kind: 'cancel', why: why ?? null }),
    setVerdict: (id, verdict, why) => move(id, { kind: 'verdict', verdict, why: why ?? null }),
    waive: (id, issues, why) => move(id, { kind: 'waive', issues, why }),
    async *events(after, signal) {
      const view = createEventViews(store.journal)
      for await (const event of store.journal.since(after, AbortSignal.any([signal, closing.signal])))
        yield typed(event, await view(event))
    },
    async close() {
      closing.abort()
      await Promise.all(running)
      await store.close()
    },
  }
}

const never = new AbortController().signal

function checkedRun(options: RunOptions): RunOptions {
  const { budget } = options
  if (budget === undefined || (Number.isFinite(budget) && budget > 0)) return options
  throw new UserError(
    `A budget of ${budget} is not valid.`,
    'Give an amount in dollars above 0, or leave it out for no limit.',
  )
}

/** Gives the data of a view the type that belongs to the event's type. */
function typed(
  event: StoredEvent,
  { task, loop, cycle, message, data }: Awaited<ReturnType<ReturnType<typeof createEventViews>>>,
): UmpireEvent {
  const { seq, at, type } = event
  return { seq, at, type, task, loop, cycle, message, data } as UmpireEvent
}

/** The form of a task that a library program may add. The command line checks its own flags. */
const id = z.int().min(1)
const text = z.string()

const shape = z.strictObject({
  title: text,
  description: text.optional(),
  type: z.enum(taskTypes).exclude(['plan', 'spec']).optional(),
  of: id.nullable().optional(),
  plan: z.strictObject({ path: text, text }).nullable().optional(),
  accept: z.array(text).optional(),
  scope: text.nullable().optional(),
  dependsOn: z.array(id).optional(),
  group: z.int().min(1).max(lastGroup).nullable().optional(),
  gates: z.array(text).optional(),
  autoReview: z.boolean().nullable().optional(),
  maxCycles: z.int().min(1).max(1000).nullable().optional(),
  effort: z.enum(efforts).nullable().optional(),
  agent: text.nullable().optional(),
  model: text.nullable().optional(),
  reviewer: text.nullable().optional(),
  reviewModel: text.nullable().optional(),
})

/** Reports all problems at once, as for the configuration. */
function parseTask(value: unknown): Partial<Task> & { title: string } {
  const parsed = shape.safeParse(value)
  if (parsed.success) return parsed.data as Partial<Task> & { title: string }
  const problems = parsed.error.issues.map(({ path, message }) => [...path.map(String), message].join(': '))
  throw new UserError(`The task is not valid: ${problems.join('; ')}.`, 'See the type Task.')
}
