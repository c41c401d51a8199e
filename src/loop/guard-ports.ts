/**
 * The journal refuses the appends of a worker that was taken over, but not what it does to the world. One that was
 * frozen in the middle of a step wakes up and would go on with it: reset the worktree in which its successor's agent
 * works, or end that agent. So every change is preceded by a look at whose loop it is.
 */
import { LostClaimError } from '../core/errors.ts'
import type { Ports } from './ports.ts'
import type { Claim } from './review-loop.ts'

/** Throws when the loop is no longer claimed by this worker. */
export function claimGuard({ task, worker }: Claim, { archive }: Ports): () => Promise<void> {
  return async () => {
    const loop = await archive.loop(task)
    if (loop?.claim?.worker !== worker)
      throw new LostClaimError(`Task ${task} was taken over or ended by somebody else.`)
  }
}

export function guardPorts(ports: Ports, guard: () => Promise<void>): Ports {
  return {
    ...ports,
    confirm: guard,
    vcs: ports.vcs.guardedBy(guard),
    attempts: ports.attempts.guardedBy(guard),
  }
}
