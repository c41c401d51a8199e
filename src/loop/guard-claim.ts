/**
 * The journal refuses the appends of a worker that was taken over, but not what it does to the world. One that was
 * frozen in the middle of a step wakes up and would go on with it: reset the worktree in which its successor's agent
 * works, or end that agent. So every change is preceded by a look at whose loop it is.
 */
import { LostClaimError } from '../core/errors.ts'
import type { Ports } from './ports.ts'

/** One holding of a task by a worker of a run. */
export interface Claim {
  task: number
  run: number
  /** Unique for this holding; whoever else claims the loop has another. */
  worker: string
  /** Throws when the work source has given the task to somebody else meanwhile, or to nobody. */
  confirm: () => Promise<void>
  /** Aborts when nothing new is to be begun. A session that runs is seen through to its end all the same. */
  closing: AbortSignal
}

/** Returns a check that throws when the loop is no longer claimed by this worker. */
export function guardClaim({ task, worker }: Claim, { archive }: Ports): () => Promise<void> {
  return async () => {
    const loop = await archive.loop(task)
    if (loop?.claim?.worker !== worker)
      throw new LostClaimError(`Task ${task} was taken over or ended by somebody else.`)
  }
}

/** The same ports, with the check before each change to the world. */
export function guardedPorts(ports: Ports, guard: () => Promise<void>): Ports {
  return {
    ...ports,
    confirm: guard,
    vcs: ports.vcs.guardedBy(guard),
    attempts: ports.attempts.guardedBy(guard),
  }
}
