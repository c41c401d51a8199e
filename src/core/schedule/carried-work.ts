/**
 * The work of other tasks that merging a branch would also merge, and whether it may land: only if it was approved in its
 * present form. No unapproved work gets into a base because another task is built on it.
 */
import type { Loop } from '../loop.ts'
import type { BuiltOn, CarriedWork, CarriedWorkDoubt } from '../place.ts'

/** Why this work of another task must not land with a branch, or null if it was approved in this form. */
export function doubtCarried(other: Loop | null, { sha }: BuiltOn): CarriedWorkDoubt | null {
  if (!other || other.standing.deleted) return 'deleted'
  const { status, reason } = other.standing
  const { approval } = other.landing
  const { head } = other.work
  const { phase } = other.turn
  const { last: review } = other.review
  if (status === 'cancelled') return 'cancelled'
  // A task that is about to land, or can't land at the moment, is still approved.
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

/** Whether this work no longer prevents a landing: the base contains it, or it was approved in its present form. */
export function isDecidedOn(other: Loop | null, work: BuiltOn, base: string): boolean {
  return other?.landing.landed?.base === base || doubtCarried(other, work) === null
}

const said: Record<CarriedWorkDoubt, string> = {
  unreviewed: 'was never reviewed',
  unapproved: 'is not approved in its present form',
  rejected: 'was rejected',
  sent_back: 'was sent back',
  awaits_review: 'waits for a review',
  changed: 'has changed since this task was built on it',
  unfinished: 'is not done',
  cancelled: 'was cancelled',
  deleted: 'was deleted',
}

export function carriedDetail(works: CarriedWork[], base: string): string {
  const named = works.slice(0, mostNamed).map(({ task, doubt }) => `Task ${task} ${said[doubt]}.`)
  const rest = works.length - named.length
  const others = works.length === 1 ? 'its work' : 'their work'
  const more = rest > 0 ? ` The same is true for ${rest} more.` : ''
  return `${named.join(' ')}${more} This task builds on ${others}, so a merge would also bring that work into ${base}.`
}

/** What a person can type so that the task may land. */
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
    // The work of a deleted task can't be approved any more. Only git can merge it.
    case 'deleted':
      return []
  }
}

/** The refusal of a merge that a person asked for, with the same commands. Nothing was started. */
export function carriedRefusal(
  { id, work: { place } }: Loop,
  works: CarriedWork[],
): { why: string; fix: string } {
  const base = place?.base ?? ''
  const first = carriedRecovery(works)
  const gone = works.some(({ doubt }) => doubt === 'deleted')
  const byGit = gone ? [`git merge ${place?.branch} merges it without a review`] : []
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
