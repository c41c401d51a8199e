/** A merge that a person asks for must not bring along what nobody approved, unless they asked for that as well. */

import { openVcs, type Repository } from '../app/repository.ts'
import { UserError } from '../core/errors.ts'
import type { Loop } from '../core/loop.ts'
import { carriedRefusal } from '../core/schedule/carried.ts'
import { isToGather } from '../core/standing.ts'
import { findUnapproved } from '../loop/land/carried-work.ts'
import type { Store } from '../store/store.ts'

/** Gives back those of the tasks named with it that have to be merged before it. */
export async function refuseCarrier(
  loop: Loop,
  named: number[],
  store: Store,
  repository: Repository,
): Promise<number[]> {
  // Its group's branch gathers all that is done.
  if (!loop.place || !loop.head || isToGather(loop)) return []
  const works = await findUnapproved(loop, { archive: store.archive, vcs: await openVcs(repository) })
  const others = works.filter(({ task }) => !named.includes(task))
  if (others.length === 0) return works.map(({ task }) => task)
  const { why, fix } = carriedRefusal(loop, others)
  throw new UserError(why, fix)
}
