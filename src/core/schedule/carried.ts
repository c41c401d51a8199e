/**
 * What a branch brings along of other tasks when it is merged, and whether that may be: only work that was approved as it
 * is. Nothing gets into a base on the back of a task that is built on it.
 */
import type { Loop } from '../loop.ts'
import type { BuiltOn, CarriedWork, CarriedWorkDoubt } from '../place.ts'

/** Why this work of another task must not be carried; null where it was approved as it is. */
export function doubtCarried(other: Loop | null, { sha }: BuiltOn): CarriedWorkDoubt | null {
  if (!other || other.standing.deleted) return 'deleted'
  const {
    standing: { status, reason },
    landing: { approval },
    work: { head },
    turn: { phase },
    review: { last: review },
  } = other
  if (status === 'cancelled') return 'cancelled'
  // One that is about to land, or can't just now, is approved all the same.
  if (status === 'completed' || (phase === 'land' && approval)) {
    if (!approval || approval.tree !== head?.tree) return review ? 'unapproved' : 'unreviewed'
    return head.sha === sha ? null : 'changed'
  }
  if (reason === 'rejected') return 'rejected'
  if (status === 'awaiting_review') return 'awaits_review'
  return other.standing.verdict === 'CHANGES_REQUESTED' || reason === 'changes_requested'
    ? 'sent_back'
    : 'unfinished'
}

/** Whether what stood in the way of a landing is over: the base holds the work, or it was approved as it is. */
export function isDecidedOn(other: Loop | null, work: BuiltOn, base: string): boolean {
  return other?.landing.landed?.base === base || doubtCarried(other, work) === null
}

const said: Record<CarriedWorkDoubt, string> = {
  unreviewed: 'was never reviewed',
  unapproved: 'is not approved as it is now',
  rejected: 'was rejected',
  sent_back: 'was sent back',
  awaits_review: 'waits for a review',
  changed: 'was changed since',
  unfinished: 'is not done',
  cancelled: 'was cancelled',
  deleted: 'was deleted',
}

export function carriedDetail(works: CarriedWork[], base: string): string {
  const named = works.slice(0, mostNamed).map(({ task, doubt }) => `Task ${task} ${said[doubt]}.`)
  const rest = works.length - named.length
  const others = works.length === 1 ? 'its work' : 'their work'
  const more = rest > 0 ? ` The same is true for ${rest} more.` : ''
  return `${named.join(' ')}${more} This task is built on ${others}, so merging it would also merge that into ${base}.`
}

/** What a person can type so that it may land. */
export function carriedRecovery(works: CarriedWork[]): string[] {
  return works.slice(0, mostNamed).flatMap(({ task, doubt }) => remedies(task, doubt))
}

function remedies(id: number, doubt: CarriedWorkDoubt): string[] {
  const approve = `umpire edit ${id} --verdict APPROVED`
  const review = `umpire review ${id}`
  switch (doubt) {
    case 'unreviewed':
    case 'unapproved':
      return [`umpire merge ${id}`, review, approve]
    case 'rejected':
    case 'awaits_review':
      return [review, approve]
    case 'sent_back':
      return [`umpire improve ${id}`, review, approve]
    case 'changed':
      return [`umpire merge ${id}`]
    case 'unfinished':
    case 'cancelled':
      return [`umpire show ${id}`, `umpire retry ${id}`]
    // Nothing of it can be approved any more; only git brings it there.
    case 'deleted':
      return []
  }
}

/** The same for who asks for the merge himself: nothing was begun. */
export function carriedRefusal(
  { id, work: { place } }: Loop,
  works: CarriedWork[],
): { why: string; fix: string } {
  const base = place?.base ?? ''
  const first = carriedRecovery(works)
  const gone = works.some(({ doubt }) => doubt === 'deleted')
  const byGit = gone ? [`git merge ${place?.branch} merges it as it is`] : []
  const all = works.map(({ task }) => task).join(' ')
  const isMergeable = works.every(({ doubt }) => mergeable.has(doubt))
  const both = isMergeable ? ` umpire merge ${all} ${id} merges ${works.length > 1 ? 'all' : 'both'}.` : ''
  return {
    why: `Task ${id} can't be merged. ${carriedDetail(works, base)}`,
    fix: `First: ${[...first, ...byGit].join(', or ')}.${both}`,
  }
}

const mergeable = new Set<CarriedWorkDoubt>(['unreviewed', 'unapproved', 'changed'])

const mostNamed = 5
