/**
 * One run of `umpire work`: offers all unfinished tasks, claims free ones, and runs `reviewLoop` on each until it rests.
 * The work source decides which worker has which task. The journal decides whether its work counts.
 */
import { LostClaimError } from '../../core/errors.ts'
import type { Loop } from '../../core/loop.ts'
import type { Asked } from '../../core/summary.ts'
import { joinCalls } from '../../lib/concurrency.ts'
import { OfferCancelledError, type WorkSource } from '../../queue/work-source.ts'
import type { Ports } from '../ports.ts'
import { recordNew, recordOfRun } from '../record.ts'
import { reviewLoop } from '../review-loop.ts'
import { type AppliedSchedule, applySchedule, createOffering } from './apply-schedule.ts'
import { avoidConflicts } from './avoid-conflicts.ts'
import { clearEnded } from './clear-leftovers.ts'
import { freeParked, openParking } from './free-parked.ts'
import { dropAllLanded, noticeLanded } from './landed-work.ts'
import { createLending } from './lend-place.ts'

export interface WorkOptions {
  /** Only these tasks; null for all. */
  only: number[] | null
  parallel: number
  watch: boolean
  effort: string | null
}

export interface WorkReport {
  run: number
  /** Each task that this run held, in its state when the run released it. */
  worked: Loop[]
  /** Tasks that another process took over or ended while this run held them. */
  lost: number[]
  /** Tasks that other tasks have held back since this run started. A person must look at those first. */
  held: number[]
  /** The task whose agent was not logged in. The run started nothing more after that. */
  stoppedAt: number | null
}

export async function work(
  options: WorkOptions,
  prepared: PreparedRun,
  ports: Ports,
  queue: WorkSource,
  signal: AbortSignal,
): Promise<WorkReport> {
  const { parallel, effort } = options
  const started = { type: 'run.started', data: { effort, parallel, pid: process.pid } } as const
  const run = await recordNew('run', () => started, ports)
  const report: WorkReport = { run, worked: [], lost: [], held: [], stoppedAt: null }
  let holds = 0
  const stop = new AbortController()
  const lending = createLending(options.only, ports)
  const offering = createOffering(options.only, queue)
  const avoidance = avoidConflicts(ports, queue, lending.isResting)
  const choose = (free: number[]) => {
    const notNow = new Set(lending.passOver())
    return avoidance.choose(offering.inOrder(free.filter((task) => !notNow.has(task))))
  }
  const parking = openParking({ only: options.only, run }, ports, (task) => queue.offer(task))
  const worker = { id: `run-${run}`, slots: parallel, watch: options.watch, choose }
  // Updates the other tasks after one rests. Many may rest at the same moment.
  const lookAtOthers = joinCalls(async () => {
    const standings = await ports.archive.standings()
    const freed = await parking.look(standings)
    await offering.offer(await applySchedule(ports, freed.length === 0 ? standings : null))
  })
  try {
    await clearEnded(ports)
    await dropAllLanded(prepared.tasks, ports)
    await offering.offer(prepared.schedule)
    await lending.expectWaits(prepared.tasks, await queue.holders())
    await queue.run(
      options.only ? { ...worker, only: options.only } : worker,
      async (hold) => {
        holds += 1
        const { task, confirm } = hold
        const claim = { task, run, worker: `${worker.id}/${holds}`, confirm, closing: stop.signal }
        const { rest } = lending.of(hold)
        avoidance.begun(task)
        try {
          const loop = await reviewLoop(claim, { ...ports, rest }, AbortSignal.any([signal, hold.signal]))
          if (loop) {
            // A task that was parked and continued counts with its final state.
            report.worked = [...report.worked.filter(({ id }) => id !== loop.id), loop]
            if (isNotLoggedIn(loop)) {
              report.stoppedAt ??= loop.id
              stop.abort()
            }
          }
          // Even if there was nothing to do: the process that ended the task may have died before it did this.
          await lookAtOthers()
        } catch (error) {
          if (!(error instanceof LostClaimError || error instanceof OfferCancelledError)) throw error
          report.lost.push(hold.task)
          // Another worker cleans up after its own task. After a cancellation there is no other worker.
          await clearEnded(ports, task)
        } finally {
          lending.forget(task)
          avoidance.ended(task)
        }
      },
      AbortSignal.any([signal, stop.signal]),
    )
    report.held = offering.held()
    return report
  } finally {
    parking.close()
    const outcome = signal.aborted ? 'interrupted' : stop.signal.aborted ? 'stopped' : 'finished'
    const worked = report.worked.map((loop) => loop.id)
    await recordOfRun(run, { type: 'run.ended', data: { outcome, worked } }, ports)
  }
}

/** An agent without a login stops the run: the next task would fail for the same reason, until a person logs in. */
function isNotLoggedIn({ standing: { status, reason } }: Loop): boolean {
  return status === 'failed' && reason === 'auth'
}

export interface PreparedRun extends Asked {
  schedule: AppliedSchedule
}

/**
 * Prepares a run once, before its first task: notices work that people have merged with their own git, frees tasks that
 * were parked for lack of budget, and applies the schedule. `umpire work` does this before it prints anything about the
 * tasks, and passes the result to the run. The tasks are listed last, so the list shows their state after the
 * preparation.
 */
export async function prepareRun(only: number[] | null, ports: Ports): Promise<PreparedRun> {
  const standings = await ports.archive.standings()
  const landed = await noticeLanded(standings, ports)
  const freed = await freeParked({ only, run: null }, standings, ports)
  const schedule = await applySchedule(ports, landed.length + freed.length === 0 ? standings : null)
  return { only, tasks: await ports.archive.tasks(), schedule }
}
