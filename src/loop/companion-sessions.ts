/**
 * Companions are sessions that run in parallel with a loop's own session: the seats of a panel, and checkpoints. Each is
 * attended until it ends, while the loop continues, and its end is appended separately. This includes sessions that an
 * earlier worker started.
 */
import { LostClaimError, VcsError } from '../core/errors.ts'
import type { Loop } from '../core/loop.ts'
import { mayBeLookedAt } from '../core/review/checkpoint.ts'
import type { RunningSession } from '../core/session/session.ts'
import type { Performed, Ports } from './ports.ts'
import { recordWhileHeld } from './record.ts'
import { startCheckpoint } from './review/start-checkpoint.ts'
import { attendSession } from './session/attend-session.ts'

export interface Companions {
  /** Attends to the companions of the loop that this process does not attend to yet. */
  attend(loop: Loop): void
  /** Resolves as soon as a session that is still running in this state has ended. Throws the error of a failed one. */
  next(loop: Loop): Promise<void>
  /** Stops all companions. */
  end(): Promise<void>
  /** Waits until all companions have ended. An interrupted one ends immediately. */
  finish(): Promise<void>
  /** Starts no more checkpoints, and stops all companions. */
  close(): Promise<void>
}

export function createCompanions(first: Loop, ports: Ports, signal: AbortSignal): Companions {
  const running = new Map<string, Promise<void>>()
  /** Checkpoints start one after the other. */
  let looking: Promise<void> = Promise.resolve()
  let ending = new AbortController()
  const failures: unknown[] = []
  const { id } = first

  function attend(session: RunningSession, loop: Loop): void {
    if (running.has(session.session)) return
    const seen = seeThrough(session, loop, ports, AbortSignal.any([signal, ending.signal]))
      // The error is kept for the loop, which is busy with something else.
      .catch((error: unknown) => void failures.push(error))
      .finally(() => running.delete(session.session))
    running.set(session.session, seen)
  }

  /** The developer is not interrupted, because the checkpoint reviews a snapshot. */
  async function look(by: { task: number; iteration: number }): Promise<void> {
    const loop = await ports.archive.loop(id)
    if (!loop || signal.aborted || loop.turn.session?.role !== 'developer' || !mayBeLookedAt(loop, by)) return
    const started = await startCheckpoint(by, null, loop, ports, signal)
    if (!started) return
    const appended = await recordWhileHeld(
      loop,
      (now) => (mayBeLookedAt(now, by) ? started.events : null),
      ports,
    )
    if (!appended) return started.undo()
    await started.afterwards()
    const session = appended.turn.beside.find((other) => other.session === started.session)
    if (session) attend(session, appended)
  }

  const leave = ports.checkpoints.join(id, (by) => {
    looking = looking
      .then(() => look(by))
      .catch((error: unknown) => {
        // Files can appear and disappear while git reads them, and an interrupted run reviews nothing more.
        if (error instanceof VcsError || error instanceof LostClaimError || signal.aborted) return
        failures.push(error)
      })
  })

  /** Errors no longer matter here: a session whose end was not recorded is attended again later, or dropped. */
  async function finish(): Promise<void> {
    await looking
    await Promise.all(running.values())
    failures.splice(0)
  }

  return {
    attend(loop) {
      for (const session of loop.turn.beside) attend(session, loop)
    },
    async next({ turn: { beside } }) {
      if (beside.every(({ session }) => running.has(session))) await Promise.race(running.values())
      const [failure] = failures.splice(0)
      if (failure !== undefined) throw failure
    },
    async end() {
      ending.abort()
      await finish()
      ending = new AbortController()
    },
    finish,
    async close() {
      leave()
      ending.abort()
      await finish()
    },
  }
}

async function seeThrough(
  session: RunningSession,
  loop: Loop,
  ports: Ports,
  signal: AbortSignal,
): Promise<void> {
  const { events, afterwards } = await attendSession(session, loop, ports, signal).catch((error) =>
    dropped(error, session, ports),
  )
  const isRunning = ({ turn: { beside } }: Loop) => beside.some((other) => other.session === session.session)
  await recordWhileHeld(loop, (now) => (isRunning(now) ? events : null), ports)
  await afterwards?.()
}

/** A checkpoint that fails does not stop the loop. */
function dropped(error: unknown, { session, beside, reviewed }: RunningSession, ports: Ports): Performed {
  if (beside?.kind !== 'checkpoint' || !(error instanceof VcsError)) throw error
  return {
    events: [{ type: 'session.lost', data: { session, beside, detail: error.message } }],
    afterwards: async () => {
      await ports.attempts.kill(session)
      await ports.attempts.remove(session)
      if (reviewed) await ports.vcs.removeCheckout(reviewed.clone)
    },
  }
}
