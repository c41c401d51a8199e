/**
 * Lands a batch without those that would bring along what nobody approved. Looked at before anything is merged, and once
 * more when the gates have passed, which may have taken long.
 */

import type { CarriedWork } from '../../core/place.ts'
import type { LandAnswer, LandRequest } from '../ports.ts'
import { findUnapproved } from './carried-work.ts'
import { landBatch } from './land-batch.ts'
import type { Answered } from './merge-queue.ts'

type Answers = Map<LandRequest, Answered<LandAnswer>>

export async function landApproved(batch: LandRequest[]): Promise<Answers> {
  const barred: Answers = new Map()
  const isLeft = (request: LandRequest) => !barred.has(request)
  for (;;) {
    for (const request of batch.filter(isLeft)) {
      const works = await findBarrier(request)
      const outcome = { kind: 'carries' as const, works }
      if (works.length > 0) barred.set(request, { kind: 'answer', answer: { outcome, checked: [] } })
    }
    try {
      return new Map([...barred, ...(await landBatch(batch.filter(isLeft), requireApproved))])
    } catch (error) {
      if (!(error instanceof UnapprovedError)) throw error
    }
  }
}

/** Some of these can't land any more. */
class UnapprovedError extends Error {}

async function requireApproved(batch: LandRequest[]): Promise<void> {
  for (const request of batch)
    if ((await findBarrier(request)).length > 0)
      throw new UnapprovedError(`task ${request.task} brings along what is not approved`)
}

/** A group's branch gathers all that is done; what gets into a base must be approved. */
async function findBarrier({ loop, into, ports }: LandRequest): Promise<CarriedWork[]> {
  return into === loop.work.place?.base ? findUnapproved(loop, ports) : []
}
