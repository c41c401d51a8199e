/** Finds work that waited for a checkout and that a person has meanwhile merged into the base with their own git. */
import type { NewEvent } from '../../core/event.ts'
import type { Loop } from '../../core/loop.ts'
import { waitsForCheckout } from '../../core/standing.ts'
import type { TaskSummary } from '../../core/summary.ts'
import type { Vcs } from '../../vcs/vcs.ts'
import { type Books, record } from '../record.ts'

/** The part of a task that decides whether it is checked. */
export type Listed = Pick<TaskSummary, 'id' | 'status' | 'reason'>

/** Records the landing of these tasks if their work is in the base, and returns their numbers. */
export async function noticeLanded(tasks: Listed[], books: Books & { vcs: Vcs }): Promise<number[]> {
  const noticed: number[] = []
  for (const { id } of tasks.filter(waitsForCheckout))
    if (await record(id, (now) => landedEvents(now, books.vcs), books)) noticed.push(id)
  return noticed
}

async function landedEvents(loop: Loop | null, vcs: Vcs): Promise<NewEvent[]> {
  if (!loop?.work.place || !loop.work.head || !waitsForCheckout(loop.standing)) return []
  const {
    work: { place, head },
    review: { cycle },
  } = loop
  if (!(await vcs.isMerged(place, head.sha))) return []
  const found = { commit: head.sha, tree: null, checkout: null }
  return [
    { type: 'loop.integrated', data: { outcome: { kind: 'landed', ...found }, cycle } },
    { type: 'loop.landed', data: { base: place.base, ...found, cycle } },
  ]
}
