import type { NewEvent } from '../../core/event.ts'
import type { Loop } from '../../core/loop.ts'
import { treeBefore } from '../../core/phases/review.ts'
import { completedReview } from '../../core/review/ledger.ts'
import { combinePanel } from '../../core/review/panel-verdict.ts'
import type { GivenReview } from '../../core/review/review-record.ts'
import { knownSum } from '../../core/session/fold-session.ts'
import type { Step } from '../../core/step.ts'
import { headAndTail } from '../../prompts/untrusted.ts'
import type { Ports } from '../ports.ts'
import { longestRawOutput } from './collect-review.ts'

/** Combines the reviews of a panel's seats into the one review of a cycle. */
export async function combineSeats(
  { seats }: Step & { do: 'combine' },
  loop: Loop,
  { journal, vcs }: Ports,
): Promise<NewEvent[]> {
  const {
    policy,
    work: { head },
  } = loop
  if (!policy || !head) throw new Error(`loop ${loop.id} has nothing to review`)
  const sessions = new Set(seats.flatMap(({ session, verdict }) => (verdict === null ? [] : [session])))
  const events = await journal.list({ stream: `task/${loop.id}`, types: ['review.given'] })
  const given = events
    .flatMap((event) =>
      event.type === 'review.given' && sessions.has(event.data.session) ? [event.data] : [],
    )
    .toSorted((one, other) => one.seat - other.seat)
  const body = combinePanel(given, policy.seats, policy.approveBy)
  const [first] = given
  if (!body || !first) throw new Error(`the panel of loop ${loop.id} has not decided`)
  const { review, cycle, session, command } = first
  const before = treeBefore(loop, cycle)
  const changes = before === null ? null : await vcs.changedLines(before, head.tree)
  const attempt = Math.max(...given.map((each) => each.attempt))
  return completedReview(loop.review.ledger, {
    review,
    kind: 'task',
    cycle,
    attempt,
    session,
    tree: head.tree,
    channel: 'panel',
    command,
    body,
    rawOutput: headAndTail(given.map(saidBy).join('\n\n'), longestRawOutput),
    costUsd: given.reduce((sum: number | null, { costUsd }) => knownSum(sum, costUsd), null),
    changes,
    seats,
  })
}

function saidBy({ seat, agent, session, rawOutput }: GivenReview): string {
  return `[seat ${seat}, ${agent}, session ${session}]\n${rawOutput}`
}
