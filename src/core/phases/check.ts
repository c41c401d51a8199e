/** The gates: which ones still have to run on the tree, and what follows when one fails. */
import type { EventData } from '../event.ts'
import type { Change, GateSummary, Loop } from '../loop.ts'
import { recoveryWhileAwaiting } from '../person/recovery.ts'
import type { Policy } from '../policy/policy.ts'
import type { Terms } from '../policy/terms.ts'
import { block, feedbackEvent, gateFailed, gaveUpDetail, names, recorded, type Step } from '../step.ts'
import { isToLand } from './land.ts'
import type { Committed, Ruling } from './ruling.ts'

export function decideCheck(loop: Committed, terms: Terms): Ruling {
  const { head } = loop.work
  const { feedback, overdue, gaveUp, saidDone } = loop.turn
  if (overdue) return block(loop, 'timeout', `${overdue} Its work so far is committed.`)
  if (gaveUp) return block(loop, 'needs_discussion', gaveUpDetail(gaveUp))
  if (terms.needsClaim && !saidDone) return { go: 'develop' }
  if (head.empty) return decideEmpty(loop, terms)
  // A person who asks for a review gets one, even of a tree that was reviewed before.
  if (terms.stopsAfter !== 'review' && isUnrevised(loop, terms))
    return block(loop, 'stalled', unrevised(loop))
  if (terms.stopsAfter === 'improve') return awaitReview(loop)

  const results = resultsOn(loop, terms)
  const left = terms.gates.find((gate) => !results.some((result) => result.name === gate.name))
  if (left && loop.check.gates?.tree !== head.tree) {
    const gates = terms.gates.map((gate) => gate.name)
    return recorded({
      type: 'loop.checking',
      data: { tree: head.tree, gates, cycle: loop.review.cycle + 1 },
    })
  }
  if (left) return { do: 'gate', gate: left, tree: head.tree }

  const failed = results.filter((result) => !result.passed)
  if (failed.length > 0) {
    // The gates just ran again on the same tree and failed again. They are not flaky; the revision changed nothing.
    const told = feedback?.said.from === 'gate' && feedback.tree === head.tree ? feedback.said.gates : []
    if (terms.unattended && failed.some((gate) => told.some((other) => other.name === gate.name))) {
      return block(loop, 'stalled', unfixed(failed))
    }
    return gateFailed(loop, terms, failed)
  }
  if (terms.stopsAfter === 'review') return { go: 'review' }
  if (!terms.reviewed) {
    // The next group builds on this work, so it lands on the group's branch. Only work for the base needs an approval.
    const lands = loop.work.place.target !== undefined && isToLand(loop, terms)
    return recorded({ type: 'loop.completed', data: { tree: head.tree, cycle: loop.review.cycle, lands } })
  }
  return terms.trigger === 'explicit' ? awaitReview(loop) : { go: 'review' }
}

function decideEmpty(loop: Committed, { unattended }: Terms): Step {
  if (loop.turn.feedback?.said.from === 'empty') {
    return block(loop, 'stalled', 'The developer changed nothing, even after it was told so.')
  }
  if (!unattended) return block(loop, 'stalled', 'The work no longer differs from the base.')
  return recorded(feedbackEvent(loop, { from: 'empty' }))
}

function awaitReview(loop: Committed): Step {
  const { tree } = loop.work.head
  const recovery = recoveryWhileAwaiting(loop)
  return recorded({ type: 'loop.awaiting_review', data: { tree, recovery, cycle: loop.review.cycle + 1 } })
}

/** The work was sent back, and its tree is still, or again, the one that was sent back. */
function isUnrevised(
  { review: { last }, turn: { feedback }, work }: Committed,
  { stopsAfter }: Terms,
): boolean {
  const { tree } = work.head
  if (last?.sentBack && last.tree === tree) return true
  if (feedback?.tree !== tree) return false
  // After feedback from a gate the gates run again, because one may be flaky. A person's improvement runs no gates.
  if (stopsAfter === 'improve' || feedback.said.from === 'person') return true
  // If a person asked for a review since then, that review counts now.
  return feedback.said.from === 'review' && (last === null || last.sentBack)
}

function unrevised({ turn: { feedback }, review: { cycle } }: Loop): string {
  const said = feedback?.said
  if (said?.from === 'person') return 'The developer changed nothing after the note.'
  if (said?.from === 'gate') return unfixed(said.gates)
  return cycle > 0 ? `The revision after review ${cycle} changed nothing.` : 'The revision changed nothing.'
}

function unfixed(gates: { name: string }[]): string {
  return `The revision after the failed gate ${names(gates)} changed nothing.`
}

/** The results of the policy's gates on this tree. A gate whose command changed has no result yet. */
function resultsOn({ check: { gates }, work }: Committed, policy: Policy): GateSummary[] {
  if (gates?.tree !== work.head.tree) return []
  return gates.results.filter((result) =>
    policy.gates.some((gate) => gate.name === result.name && gate.command === result.command),
  )
}

/** Whether a gate still has to pass on the present tree. A person may have added one since the last check. */
export function owesGate(loop: Committed, policy: Policy): boolean {
  return resultsOn(loop, policy).filter((result) => result.passed).length < policy.gates.length
}

export function gateCompleted(loop: Loop, result: EventData['gate.completed']): Change {
  const { name, command, passed, exitCode, timedOut, output } = result
  const summary = { name, command, passed, exitCode, timedOut, output }
  // A gate's result on the merged tree says nothing about the loop's own tree.
  if (loop.turn.phase === 'land') return {}
  switch (result.kind) {
    case 'hook':
      return { check: { refusal: summary } }
    case 'gate':
    case 'backpressure': {
      const others = (loop.check.gates?.results ?? []).filter((other) => other.name !== name)
      return { check: { gates: { tree: result.tree, results: [...others, summary] } } }
    }
  }
}
