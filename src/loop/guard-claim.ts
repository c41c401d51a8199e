/**
 * The journal refuses the appends of a worker that lost its claim, but it can't prevent the worker's other actions. A
 * worker that was frozen in the middle of a step wakes up and would continue it: reset the worktree in which its
 * successor's agent works, or end that agent. So every change is preceded by a check that the claim is still valid.
 */
import { LostClaimError } from '../core/errors.ts'
import type { Ports } from './ports.ts'

/** One claim of a task by a worker of a run. */
export interface Claim {
  task: number
  run: number
  /** Unique for this claim. Every other claim of the loop has another one. */
  worker: string
  /** Throws if the work source no longer assigns the task to this worker. */
  confirm: () => Promise<void>
  /** Aborts when nothing new should start. A running session is still attended until it ends. */
  closing: AbortSignal
}

/** Returns a check that throws if this worker no longer has the claim. */
export function guardClaim({ task, worker }: Claim, { archive }: Ports): () => Promise<void> {
  return async () => {
    const loop = await archive.loop(task)
    if (loop?.claim?.worker !== worker)
      throw new LostClaimError(`Task ${task} was taken over or ended by another process.`)
  }
}

/** Returns the same ports, with the check before each change to the world. */
export function guardedPorts(ports: Ports, guard: () => Promise<void>): Ports {
  return {
    ...ports,
    confirm: guard,
    vcs: ports.vcs.guardedBy(guard),
    attempts: ports.attempts.guardedBy(guard),
  }
}
