/** Finds the tasks that could not land because of what they would have brought along, and can now. */

import type { Loop } from '../../core/loop.ts'
import { isSettled } from '../../core/schedule/carried.ts'
import type { Standing } from '../../core/schedule/schedule.ts'
import type { Archive } from '../../store/archive.ts'

export async function listFreedCarriers(standings: Standing[], archive: Archive): Promise<number[]> {
  const freed: number[] = []
  for (const { id, status, reason, heldFor } of standings) {
    if (status !== 'blocked' || reason !== 'dependency' || heldFor !== null) continue
    const loop = await archive.loop(id)
    if (loop && (await isFree(loop, archive))) freed.push(id)
  }
  return freed
}

async function isFree({ landing, place }: Loop, archive: Archive): Promise<boolean> {
  if (landing === null || landing === 'begun' || landing.kind !== 'carries' || !place) return false
  for (const work of landing.works)
    if (!isSettled(await archive.loop(work.task), work, place.base)) return false
  return true
}
