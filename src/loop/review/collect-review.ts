/**
 * Turns the result of a reviewer session into events. An approval counts only if the session ended well, the reviewer
 * changed nothing that it must not change, and its review is readable and does not contradict itself.
 */
import type { NewEvent } from '../../core/event.ts'
import type { Loop } from '../../core/loop.ts'
import { treeBefore } from '../../core/phases/review.ts'
import { isForeignHandIn } from '../../core/review/foreign-hand-in.ts'
import { completedReview, knownIn } from '../../core/review/ledger.ts'
import type { GivenReview, ReviewAnswer, ReviewFailure } from '../../core/review/review-record.ts'
import type { Judgement } from '../../core/review/verdict.ts'
import type { RunningSession, SessionEnd, SessionOutcome } from '../../core/session/session.ts'
import { headAndTail } from '../../prompts/untrusted.ts'
import type { Evidence } from '../../verdicts/channel.ts'
import { placeOf, recordedHead } from '../place-of.ts'
import type { Ports } from '../ports.ts'
import type { Report } from '../session/transcript.ts'

export interface EndedReview {
  session: RunningSession
  ended: Omit<SessionEnd, 'outcome' | 'claimed'>
  outcome: SessionOutcome
  /** Secrets are already redacted. */
  evidence: Evidence
  report: Report
}

export const longestRawOutput = 512_000

const foreign =
  'a review was handed in, but the reviewer called no tool for that, so another process used its token'

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

  if (!reviewed) throw new Error(`session ${id} is not a reviewer's`)
  const before = treeBefore(loop, cycle)
  const [voided, changes] = await Promise.all([
    voidIfTampered(session, of, rawOutput, loop, ports),
    // The review of a seat or a checkpoint is not compared with the ledger on its own.
    before === null || session.beside ? null : ports.vcs.changedLines(before, reviewed.tree),
  ])
  if (voided.length > 0) return [ended, ...voided]
  if (outcome.kind === 'interrupted') return [ended]
  if (outcome.kind === 'failed') return none('agent', outcome.detail)
  if (report.truncated) return none('malformed', 'the answer is too long to be read whole')
  if (isForeignHandIn(handedIn.length, report.called)) return none('malformed', foreign)

  const judged = ports.settings.judge(review.evidence, knownIn(loop.review.ledger))
  // These come before the end of the session, because the review follows directly after that.
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
    ...completedReview(loop.review.ledger, {
      ...of,
      kind: 'task',
      tree,
      channel: judged.channel,
      command,
      body: judged.review,
      rawOutput,
      costUsd,
      changes,
    }),
  ]
}

type Said = Omit<GivenReview, 'seat' | 'agent'>

/** One of the reviews of a panel, which are combined into one. */
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

/** A checkpoint without a result does not count as a failed review. */
function dropped({ session }: RunningSession, why: string): NewEvent {
  const text = `The checkpoint has no result: ${why}`
  return { type: 'session.noted', data: { session, about: 'checkpoint', text } }
}

/** Identifies a review, and the session that answered. */
export type ReviewOf = Pick<ReviewAnswer, 'review' | 'cycle' | 'attempt' | 'session'> &
  Pick<ReviewFailure, 'seat' | 'kind'>

/** Each session of a reviewer is for its own review. */
export function reviewBy({ session, cycle, attempt, beside }: RunningSession): ReviewOf {
  const of = { review: `${session}-review`, cycle, attempt, session }
  if (beside?.kind === 'panel') return { ...of, seat: beside.seat }
  return beside ? { ...of, kind: 'checkpoint' } : of
}

/** If a reviewer changed something that it must not change, Umpire keeps a copy of it, and the review does not count. */
export async function voidIfTampered(
  session: RunningSession,
  of: ReviewOf,
  rawOutput: string,
  loop: Loop,
  { vcs }: Ports,
): Promise<NewEvent[]> {
  const place = placeOf(loop)
  if (!session.reviewed) return []
  // During a checkpoint a developer works in the worktree, so only the clone is compared.
  const isCheckpoint = session.beside?.kind === 'checkpoint'
  const held = isCheckpoint ? 'clone' : 'all'
  const touched = await vcs.tampered(session.reviewed.clone, place, session.reviewed, held)
  if (!touched) return []
  if (isCheckpoint) return [failure(of, 'tampered', touched, rawOutput)]
  const kept = await vcs.keepAside(place, recordedHead(loop), session.session)
  const why = kept ? `${touched} Umpire kept what it found there as ${kept}.` : touched
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

/**
 * Reports that a reviewer did not use its tools: its verdict came in another way, or not at all. Nothing is lost, but a
 * person who relies on the tools wants to know.
 */
function noteUnusedTools(
  { session, agent, tools = [] }: RunningSession,
  handedIn: number,
  { brokenTools }: Report,
  judged: Judgement,
): NewEvent[] {
  if (!tools.includes('set_loop_review_result') || handedIn > 0) return []
  const came =
    judged.kind === 'review'
      ? `the verdict was read from its answer (${judged.channel})`
      : 'its answer contains no readable verdict either'
  const why =
    brokenTools === null
      ? `The reviewer (${agent}) did not call set_loop_review_result`
      : `The session's tools did not work for the reviewer (${agent}: ${brokenTools})`
  return [{ type: 'session.noted', data: { session, about: 'tools', text: `${why}; ${came}.` } }]
}
