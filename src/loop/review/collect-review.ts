/**
 * Turns what a reviewer session left behind into events. An approval counts only if the session ended well, nothing
 * that a reviewer must not touch was touched, and what it said is readable and agrees with itself.
 */

import type { NewEvent } from '../../core/event.ts'
import type { Loop } from '../../core/loop.ts'
import { treeBefore } from '../../core/phases/review.ts'
import { isForeignHandIn } from '../../core/review/foreign-hand-in.ts'
import { knownIn, reconcile } from '../../core/review/ledger.ts'
import type { GivenReview, ReviewAnswer, ReviewFailure } from '../../core/review/review-record.ts'
import type { RunningSession, SessionEnd, SessionOutcome } from '../../core/session/session.ts'
import { headAndTail } from '../../prompts/untrusted.ts'
import type { Evidence } from '../../verdicts/channel.ts'
import { placeOf, recordedHead } from '../place-of.ts'
import type { Ports } from '../ports.ts'
import { noteUnusedTools } from '../session/session-notes.ts'
import type { Report } from '../session/transcript.ts'

export interface EndedReview {
  session: RunningSession
  ended: Omit<SessionEnd, 'outcome' | 'claimed'>
  outcome: SessionOutcome
  /** Secrets already taken out. */
  evidence: Evidence
  report: Report
}

export const longestRawOutput = 512_000

const foreign =
  'a review was handed in, but the reviewer called no tool that does that, so somebody else did it under its token'

export async function collectReview(review: EndedReview, loop: Loop, ports: Ports): Promise<NewEvent[]> {
  const { session, outcome, report } = review
  const { session: id, cycle, reviewed } = session
  const ended: NewEvent = { type: 'session.ended', data: { ...review.ended, outcome, claimed: false } }
  const { handedIn, answer } = review.evidence
  const rawOutput = headAndTail([...handedIn, answer].join('\n'), longestRawOutput)
  const of = reviewBy(session)
  const none = (cause: ReviewFailure['cause'], why: string): NewEvent[] =>
    session.beside?.kind === 'checkpoint'
      ? [ended, dropped(session, why)]
      : [ended, failure(of, cause, why, rawOutput)]

  if (!reviewed) throw new Error(`session ${id} is no reviewer's`)
  const before = treeBefore(loop, cycle)
  const [voided, changes] = await Promise.all([
    voidIfTampered(session, of, rawOutput, loop, ports),
    // What a seat or a checkpoint says is not held against the ledger by itself.
    before === null || session.beside ? null : ports.vcs.changedLines(before, reviewed.tree),
  ])
  if (voided.length > 0) return [ended, ...voided]
  if (outcome.kind === 'interrupted') return [ended]
  if (outcome.kind === 'failed') return none('agent', outcome.detail)
  if (report.truncated) return none('malformed', 'the answer is too long to be read whole')
  if (isForeignHandIn(handedIn.length, report.called)) return none('malformed', foreign)

  const judged = ports.settings.judge(review.evidence, knownIn(loop.review.ledger))
  // Before the end of its session, which the review follows at once.
  const notes = noteUnusedTools(session, handedIn.length, report, judged)
  const { tree } = reviewed
  const command = session.command ?? ports.settings.reviewCommand.command
  const { costUsd } = review.ended
  const { beside } = session
  if (judged.kind === 'malformed' && !beside && ports.settings.isForParser(review.evidence)) {
    const data = { ...of, tree, command, rawOutput: answer, costUsd }
    return [...notes, ended, { type: 'review.answered', data }]
  }
  if (judged.kind === 'malformed') return [...notes, ...none('malformed', judged.why)]
  if (beside) {
    const { channel, review: body } = judged
    const said = { ...of, tree, command, rawOutput, costUsd, channel, body }
    return [
      ...notes,
      ended,
      beside.kind === 'panel' ? given(said, session, beside.seat) : looked(said, session, beside),
    ]
  }
  return [
    ...notes,
    ended,
    {
      type: 'review.completed',
      data: {
        ...of,
        kind: 'task',
        tree,
        channel: judged.channel,
        command,
        body: judged.review,
        rawOutput,
        costUsd,
        changes,
      },
    },
    ...reconcile(loop.review.ledger, judged.review, { review: of.review, cycle, changes }),
  ]
}

type Said = Omit<GivenReview, 'seat' | 'agent'>

/** Of a panel: one of several, from which the review is made. */
function given(said: Said, { agent }: RunningSession, seat: number): NewEvent {
  return { type: 'review.given', data: { ...said, seat, agent } }
}

function looked(
  { attempt: _, ...said }: Said,
  { iteration }: RunningSession,
  { by }: { by: number },
): NewEvent {
  return { type: 'loop.checkpoint', data: { ...said, iteration, by, verdict: said.body.verdict } }
}

/** A checkpoint of which nothing can be learned is no review that failed. */
function dropped({ session }: RunningSession, why: string): NewEvent {
  const text = `Nothing came of the checkpoint: ${why}`
  return { type: 'session.noted', data: { session, about: 'checkpoint', text } }
}

/** Which review something is said of, and whose answer it is. */
export type ReviewOf = Pick<ReviewAnswer, 'review' | 'cycle' | 'attempt' | 'session'> &
  Pick<ReviewFailure, 'seat' | 'kind'>

/** A reviewer's session is for a review of its own. */
export function reviewBy({ session, cycle, attempt, beside }: RunningSession): ReviewOf {
  const of = { review: `${session}-review`, cycle, attempt, session }
  if (beside?.kind === 'panel') return { ...of, seat: beside.seat }
  return beside ? { ...of, kind: 'checkpoint' } : of
}

/** However a reviewer ended: what it changed that it must not is kept aside, and nothing that it said counts. */
export async function voidIfTampered(
  session: RunningSession,
  of: ReviewOf,
  rawOutput: string,
  loop: Loop,
  { vcs }: Ports,
): Promise<NewEvent[]> {
  const place = placeOf(loop)
  if (!session.reviewed) return []
  // Beside a checkpoint somebody works in the worktree.
  const isCheckpoint = session.beside?.kind === 'checkpoint'
  const held = isCheckpoint ? 'clone' : 'all'
  const touched = await vcs.tampered(session.reviewed.clone, place, session.reviewed, held)
  if (!touched) return []
  if (isCheckpoint) return [failure(of, 'tampered', touched, rawOutput)]
  const kept = await vcs.keepAside(place, recordedHead(loop), session.session)
  const why = kept ? `${touched} What was found there is kept as ${kept}.` : touched
  return [failure(of, 'tampered', why, rawOutput)]
}

export function failure(
  { review, cycle, attempt, session, seat, kind }: ReviewOf,
  cause: ReviewFailure['cause'],
  why: string,
  rawOutput: string,
): NewEvent {
  const whose = { ...(seat !== undefined && { seat }), ...(kind && { kind }) }
  return { type: 'review.failed', data: { review, cycle, attempt, session, ...whose, cause, why, rawOutput } }
}
