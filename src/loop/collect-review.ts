/**
 * Turns what a reviewer session left behind into events. An approval counts only if the session ended well, nothing
 * that a reviewer must not touch was touched, and what it said is readable and agrees with itself.
 */
import type { NewEvent, ReviewFailure, SessionEnd, SessionOutcome } from '../core/event.ts'
import { treeBefore } from '../core/evolve.ts'
import { isLeftOpen, reconcile } from '../core/ledger.ts'
import type { Loop, RunningSession } from '../core/loop.ts'
import { headAndTail } from '../prompts/untrusted.ts'
import type { Evidence } from '../verdicts/channel.ts'
import { placeOf, recordedHead } from './place-of.ts'
import type { Ports } from './ports.ts'
import type { Report } from './transcript.ts'

export interface EndedReview {
  session: RunningSession
  ended: Omit<SessionEnd, 'outcome' | 'claimed'>
  outcome: SessionOutcome
  /** Secrets already taken out. */
  evidence: Evidence
  report: Report
}

const longestRawOutput = 512_000

export async function collectReview(review: EndedReview, loop: Loop, ports: Ports): Promise<NewEvent[]> {
  const { session, outcome, report } = review
  const { session: id, cycle, attempt, reviewed } = session
  const ended: NewEvent = { type: 'session.ended', data: { ...review.ended, outcome, claimed: false } }
  const { handedIn, answer } = review.evidence
  const rawOutput = headAndTail([...handedIn, answer].join('\n'), longestRawOutput)
  const none = (cause: ReviewFailure['cause'], why: string): NewEvent[] => [
    ended,
    failure(session, cause, why, rawOutput),
  ]

  if (!reviewed) throw new Error(`session ${id} is no reviewer's`)
  const before = treeBefore(loop, cycle)
  const [voided, changes] = await Promise.all([
    voidIfTampered(session, rawOutput, loop, ports),
    before === null ? null : ports.vcs.changedLines(before, reviewed.tree),
  ])
  if (voided.length > 0) return [ended, ...voided]
  if (outcome.kind === 'interrupted') return [ended]
  if (outcome.kind === 'failed') return none('agent', outcome.detail)
  if (report.truncated) return none('malformed', 'the answer is too long to be read whole')

  const judged = ports.settings.judge(review.evidence, (issue) => isLeftOpen(loop.ledger, issue))
  if (judged.kind === 'malformed') return none('malformed', judged.why)
  return [
    ended,
    {
      type: 'review.completed',
      data: {
        review: reviewName(session),
        kind: 'task',
        cycle,
        attempt,
        session: id,
        tree: reviewed.tree,
        channel: judged.channel,
        command: '/review-task',
        body: judged.review,
        rawOutput,
        costUsd: review.ended.costUsd,
        changes,
      },
    },
    ...reconcile(loop.ledger, judged.review, { review: reviewName(session), cycle, changes }),
  ]
}

/** However a reviewer ended: what it changed that it must not is kept aside, and nothing that it said counts. */
export async function voidIfTampered(
  session: RunningSession,
  rawOutput: string,
  loop: Loop,
  { vcs }: Ports,
): Promise<NewEvent[]> {
  const place = placeOf(loop)
  const touched = session.reviewed && (await vcs.tampered(session.reviewed.clone, place, session.reviewed))
  if (!touched) return []
  const kept = await vcs.keepAside(place, recordedHead(loop), session.session)
  const why = kept ? `${touched} What was found there is kept as ${kept}.` : touched
  return [failure(session, 'tampered', why, rawOutput)]
}

function failure(
  session: RunningSession,
  cause: ReviewFailure['cause'],
  why: string,
  rawOutput: string,
): NewEvent {
  const { session: id, cycle, attempt } = session
  return {
    type: 'review.failed',
    data: { review: reviewName(session), cycle, attempt, session: id, cause, why, rawOutput },
  }
}

function reviewName({ session }: RunningSession): string {
  return `${session}-review`
}
