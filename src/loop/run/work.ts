/**
 * One run of `umpire work`: everything unfinished is offered, free tasks are taken, and each is driven by `reviewLoop`
 * until it rests. Which worker has which task is the work source's matter; whether its work counts is the journal's.
 */
import { LostClaimError } from '../../core/errors.ts'
import type { Loop } from '../../core/loop.ts'
import { joinCalls } from '../../lib/concurrency/join-calls.ts'
import { OfferCancelledError, type WorkSource } from '../../queue/work-source.ts'
import type { Ports } from '../ports.ts'
import { recordNew, recordOfRun } from '../record.ts'
import { reviewLoop } from '../review-loop.ts'
import { applySchedule } from './apply-schedule.ts'
import { avoidConflicts } from './avoid-conflicts.ts'
import { clearEnded } from './clear-leftovers.ts'
import { dropAllLanded } from './drop-landed.ts'
import { openParking } from './free-parked.ts'
import { createLending } from './lend-place.ts'
import { createOffering } from './offer-ready.ts'
import type { PreparedRun } from './prepare-run.ts'

export interface WorkOptions {
  /** Only these tasks; null for all. */
  only: number[] | null
  parallel: number
  watch: boolean
  effort: string | null
}

export interface WorkReport {
  run: number
  /** Each task that this run held, as it was when the run let go of it. */
  worked: Loop[]
  /** Tasks that somebody else took over or ended while this run held them. */
  lost: number[]
  /** Tasks that others hold since this run; somebody has to look at those first. */
  held: number[]
  /** The task at which an agent turned out not to be logged in; nothing more was begun then. */
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
  // What one task's rest means for the others; many may rest in the same moment.
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
            // One that was parked and went on is counted as it was in the end.
            report.worked = [...report.worked.filter(({ id }) => id !== loop.id), loop]
            if (isNotLoggedIn(loop)) {
              report.stoppedAt ??= loop.id
              stop.abort()
            }
          }
          // Also when there was nothing to do: whoever ended the task may have died before looking.
          await lookAtOthers()
        } catch (error) {
          if (!(error instanceof LostClaimError || error instanceof OfferCancelledError)) throw error
          report.lost.push(hold.task)
          // Another worker sees to what is its own now; after a cancellation there is nobody else.
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

/** The next task would only fail for the same reason, and its person has to do something first. */
function isNotLoggedIn({ standing: { status, reason } }: Loop): boolean {
  return status === 'failed' && reason === 'auth'
}
