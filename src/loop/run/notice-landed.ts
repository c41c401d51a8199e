/** Work that waited for a checkout, and that its person has brought into the base with their own git meanwhile. */
import type { NewEvent } from '../../core/event.ts'
import type { Loop } from '../../core/loop.ts'
import { waitsForCheckout } from '../../core/standing.ts'
import type { TaskSummary } from '../../core/summary.ts'
import type { Vcs } from '../../vcs/vcs.ts'
import { type Books, record } from '../record.ts'

/** How tasks stand, as far as it decides which of them are looked at. */
export type Listed = Pick<TaskSummary, 'id' | 'status' | 'reason'>

/** Records it of those of these tasks of which it is so, and returns their numbers. */
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
