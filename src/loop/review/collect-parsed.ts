/**
 * Turns the result of a parser session into events. They belong to the reviewer's session and to the tree it was shown;
 * the parser is only recorded as the reader. A failed parser has no result, and another one is started.
 */

import type { NewEvent } from '../../core/event.ts'
import type { Loop } from '../../core/loop.ts'
import { treeBefore } from '../../core/phases/review.ts'
import { knownIn, reconcile } from '../../core/review/ledger.ts'
import { nothingFound } from '../../core/review/verdict.ts'
import { knownSum } from '../../core/session/fold-session.ts'
import type { Ports } from '../ports.ts'
import { type EndedReview, failure, voidIfTampered } from './collect-review.ts'

export async function collectParsed(parsed: EndedReview, loop: Loop, ports: Ports): Promise<NewEvent[]> {
  const { session, outcome, report, evidence } = parsed
  const {
    review: { unparsed: answer },
  } = loop
  if (!answer) throw new Error(`session ${session.session} has nothing to parse`)
  const { review, cycle, attempt, tree, command, rawOutput } = answer
  const ended: NewEvent = { type: 'session.ended', data: { ...parsed.ended, outcome, claimed: false } }
  const before = treeBefore(loop, cycle)
  const [voided, changes] = await Promise.all([
    voidIfTampered(session, answer, rawOutput, loop, ports),
    before === null ? null : ports.vcs.changedLines(before, tree),
  ])
  if (voided.length > 0) return [ended, ...voided.map((event) => readBy(event, session.session))]
  if (outcome.kind !== 'done') return [ended]

  const judged = report.truncated
    ? { kind: 'malformed' as const, why: 'its answer is too long to be read whole' }
    : ports.settings.judgeParsed(evidence, rawOutput, knownIn(loop.review.ledger))
  if (judged.kind === 'malformed') {
    const more = judged.why === nothingFound ? '' : `: ${judged.why}`
    const why = `${nothingFound}, and the parser found no clear verdict either${more}`
    return [ended, readBy(failure(answer, 'malformed', why, rawOutput), session.session)]
  }
  return [
    ended,
    {
      type: 'review.completed',
      data: {
        review,
        kind: 'task',
        cycle,
        attempt,
        session: answer.session,
        tree,
        channel: 'parser',
        command,
        body: judged.review,
        rawOutput,
        costUsd: knownSum(answer.costUsd, parsed.ended.costUsd),
        changes,
        parsedBy: session.session,
      },
    },
    ...reconcile(loop.review.ledger, judged.review, { review, cycle, changes }),
  ]
}

function readBy(event: NewEvent, parsedBy: string): NewEvent {
  return event.type === 'review.failed' ? { ...event, data: { ...event.data, parsedBy } } : event
}
