/**
 * No false approval: an approval counts only if the last review says APPROVED and nothing in it or in the ledger of
 * issues contradicts it, or if a person decided so.
 */
import { openLedger } from './ledger.mjs'
import { openMerges } from './merges.mjs'
import { short, violation } from './violation.mjs'

/** The current work: the last commit, or before that the work that a task for another task begins with. */
export function workIn(event, before) {
  if (event.type === 'loop.committed') return event
  if (event.type === 'loop.started' && event.data.inherited) {
    const { seq, stream, version } = event
    return { seq, stream, version, data: event.data.inherited }
  }
  return before
}

export function* checkApprovals(events) {
  const ledger = openLedger()
  const merges = openMerges()
  let commit = null
  let review = null
  let policy = null
  let gates = new Map()
  let before = null
  let landing = false
  let kind = null
  // The task has a branch that collects the work of its group.
  let gathers = false
  // A person asked for an improvement, and it is not finished.
  let improving = false
  for (const event of events) {
    const { type, data } = event
    if (type === 'loop.claimed') policy = data.policy
    if (type === 'task.added') kind = data.task.type
    if (type === 'loop.started') gathers = data.place.target !== undefined
    if (type === 'task.changed') kind = data.changes.type ?? kind
    const work = workIn(event, commit)
    // If the tree is the same, the results of its gates are still valid.
    if (work !== commit && commit?.data.tree !== work.data.tree) gates = new Map()
    commit = work
    // Gate results between these two are about the merged tree.
    if (type === 'loop.landing') landing = true
    const moves = type === 'person.decided' && data.move !== 'waive'
    if (type === 'loop.integrated' || moves) landing = false
    if (moves && data.move !== 'retry') improving = data.move === 'improve'
    if (!landing && type === 'gate.completed' && (data.kind === 'gate' || data.kind === 'backpressure')) {
      gates.set(data.name, data)
      if (data.tree !== commit?.data.tree) {
        yield violation(
          event,
          `gate ${data.name} ran on ${short(data.tree)}, not on ${short(commit?.data.tree)}`,
        )
      }
    }
    if (type === 'review.completed') review = event
    // A person's verdict replaces an earlier review, and so does feedback to the developer.
    if (type === 'loop.feedback' || (moves && data.move === 'verdict')) review = null
    // The result of a merge is never the work that was judged.
    if (type === 'loop.committed' && merges.current() !== null) review = null
    merges.apply(event)
    ledger.apply(event)

    const approvedByReview = type === 'loop.approved' && data.by === 'review'
    const waits = type === 'loop.awaiting_review'
    const needsGates = type === 'loop.completed' || type === 'loop.reviewing' || approvedByReview
    if (needsGates || (waits && !improving)) yield* missingGates(event, policy, gates)

    if (type === 'loop.completed') {
      if (policy?.reviewed !== false)
        yield violation(event, 'completed without a review, although one was wanted')
      // The next group builds on completed work. Only approved work lands on the base itself.
      yield* landsAgainst(event, gathers && kind !== 'review')
      yield* wrongTree(event, commit)
    }
    if (waits) {
      if (policy?.trigger !== 'explicit' && !improving)
        yield violation(
          event,
          'waits for a person to ask for the review, although reviews begin by themselves',
        )
      yield* wrongTree(event, commit)
    }
    if (type === 'loop.approved') {
      // A review task lands nothing. The reviewed task lands its own work.
      const isSet = policy?.land === 'base' || gathers
      yield* landsAgainst(event, data.by === 'review' && isSet && kind !== 'review')
      const doubts =
        data.by === 'person' ? doubtPerson(event, before) : doubtReview(event, review, policy, ledger)
      for (const text of doubts) yield violation(event, `approved, but ${text}`)
      if (data.by !== 'person') {
        for (const { number } of ledger.blocking())
          yield violation(event, `approved, but the blocking issue ${number} is open`)
      }
      yield* wrongTree(event, commit)
    }
    if (waits) improving = false
    before = event
  }
}

function* missingGates(event, policy, gates) {
  for (const { name, command } of policy?.gates ?? []) {
    const result = gates.get(name)
    if (result?.passed !== true || result.command !== command) {
      yield violation(event, `${event.type}, but the gate ${name} did not pass on this tree`)
    }
  }
}

function* landsAgainst(event, lands) {
  if ((event.data.lands ?? false) === lands) return
  const what = event.type === 'loop.approved' ? 'approved' : 'completed'
  yield violation(event, `${what}, and ${event.data.lands ? 'is' : 'is not'} landed, against what was set`)
}

function* wrongTree(event, commit) {
  const there = commit?.data.tree ?? null
  if (event.data.tree !== there) {
    yield violation(
      event,
      `${event.type} is of tree ${short(event.data.tree)}, but ${short(there)} was there`,
    )
  }
}

/** A person's verdict and its consequences are written in one append. */
function* doubtPerson({ data, at }, before) {
  const decided = before?.type === 'person.decided' && before.data.move === 'verdict' && before.at === at
  if (!decided || before.data.verdict !== 'APPROVED') yield 'no decision of a person stands beside it'
  if (data.review !== null) yield 'it names a review, although a person is said to have decided'
}

function* doubtReview({ data }, review, policy, ledger) {
  if (data.by !== 'review') yield `by ${JSON.stringify(data.by)}, which is neither a review nor a person`
  if (!review) return yield 'there is no review before it'
  if (data.review !== review.data.review) {
    yield `it names review ${data.review}, and the last one before it is ${review.data.review}`
  }
  const { body, cycle, tree } = review.data
  if (data.cycle !== cycle) yield `it is of cycle ${data.cycle}, its review of cycle ${cycle}`
  if (data.tree !== tree) yield `its review judged tree ${short(tree)}`
  if (body.verdict !== 'APPROVED') yield `its review says ${body.verdict}`
  if (body.blocking !== false) yield 'its review asks for a person'
  if (body.intentSatisfied === false) yield 'its review says that the intent is not satisfied'
  for (const issue of body.issues) {
    const blocks = issue.severity === 'blocking' && issue.status !== 'resolved'
    if (blocks && !ledger.isWaived(issue)) yield 'its review lists a blocking issue'
  }
  for (const [name, score] of Object.entries(body.scores)) {
    if (!(score >= (policy?.minScore ?? 0))) yield `its review gives ${JSON.stringify(name)} only ${score}`
  }
}
