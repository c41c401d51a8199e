/**
 * Lands a batch without the tasks whose branches include unapproved work. This is checked before anything is merged, and
 * again after the gates have passed, because they may take long.
 */
import type { CarriedWork } from '../../core/place.ts'
import type { LandAnswer, LandRequest } from '../ports.ts'
import { findUnapproved } from './find-carried-work.ts'
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

/** Thrown when some tasks of the batch can no longer land. */
class UnapprovedError extends Error {}

async function requireApproved(batch: LandRequest[]): Promise<void> {
  for (const request of batch)
    if ((await findBarrier(request)).length > 0)
      throw new UnapprovedError(`task ${request.task} includes unapproved work`)
}

/** The branch of a group collects all finished work. Only approved work may get into a base. */
async function findBarrier({ loop, into, ports }: LandRequest): Promise<CarriedWork[]> {
  return into === loop.work.place?.base ? findUnapproved(loop, ports) : []
}
