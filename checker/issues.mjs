/**
 * The ledger of issues: only a review of the task, or a person, adds to it. A waived issue stays waived. A witness
 * changes the severity of an issue only by its exit code.
 */
import { workIn } from './approvals.mjs'
import { openLedger, sameWitness } from './ledger.mjs'
import { short, violation } from './violation.mjs'

export function* checkIssues(events) {
  const ledger = openLedger()
  const sessions = new Map()
  const waived = new Map()
  let around = { ledger, sessions, waived, policy: null, review: null, work: null, before: null }
  for (const event of events) {
    const { type, data } = event
    if (type === 'loop.claimed') around = { ...around, policy: data.policy }
    if (type === 'session.started') sessions.set(data.session, event.seq)
    if (type === 'review.completed') around = { ...around, review: event }
    around = { ...around, work: workIn(event, around.work) }
    for (const text of doubtsOf(event, around)) yield violation(event, text)
    ledger.apply(event)
    if (type === 'issue.waived') waived.set(data.issue, event.seq)
    around = { ...around, before: event }
  }
}

function doubtsOf(event, around) {
  switch (event.type) {
    case 'issue.opened':
    case 'issue.resolved':
      return doubtFinding(event, around)
    case 'issue.waived':
      return doubtWaiver(event, around)
    case 'issue.proven':
      return doubtProof(event, around)
    case 'loop.feedback':
      return doubtFeedback(event, around)
    default:
      return []
  }
}

function* doubtFinding({ type, data }, { review, sessions, waived }) {
  const number = data.issue
  // The issue is written in one append with its review, or with the person's verdict.
  if (data.review !== 'person' && data.review !== review?.data.review)
    yield `issue ${number} is of review ${data.review}, and the last one is ${review?.data.review ?? 'none'}`
  // A reviewer that was asked before the waiver could not know about it.
  const { session, parsedBy, seats = [] } = review?.data ?? {}
  const asked = [parsedBy ?? session, ...seats.map((seat) => seat.session)].map((id) => sessions.get(id) ?? 0)
  if (waived.get(number) < Math.min(...asked))
    yield `${type} is of issue ${number}, which a person had waived before the reviewer was asked`
}

function* doubtWaiver({ data }, { ledger, before }) {
  const isBeside =
    (before?.type === 'person.decided' && before.data.move === 'waive') || before?.type === 'issue.waived'
  if (!isBeside || before.data.by !== data.by)
    yield `issue ${data.issue} is waived, and no person decided that`
  if (ledger.get(data.issue)?.status !== 'open') yield `issue ${data.issue} is waived, and is not open`
}

function* doubtProof({ data }, { ledger, policy, review, work }) {
  const { issue: number, outcome, exitCode, tree, severity, witness } = data
  const what = `the witness of issue ${number}`
  const issue = ledger.get(number)
  if (policy?.proof === undefined || policy.proof === 'off') yield `${what} was run, although proof is off`
  if (tree !== work?.data.tree) yield `${what} was run on ${short(tree)}, not on ${short(work?.data.tree)}`
  if (data.review !== null && data.review !== review?.data.review)
    yield `${what} is of review ${data.review}, and the last one is ${review?.data.review ?? 'none'}`
  if (!outcomesOf(exitCode, witness).includes(outcome))
    yield `${what} ended with ${exitCode}, and is called ${outcome}`
  if (data.review === null ? severity !== undefined : severity === undefined)
    yield `${what} counts before a review, or does not count after it`
  if (severity === undefined || !issue || !sameWitness(issue.witness, witness)) return
  const weight = weigh(outcome, issue.severity, policy?.proof)
  if (severity !== weight) yield `${what} is ${outcome}, and makes the issue ${severity} instead of ${weight}`
}

/** Exit codes 126 and 127, a signal and a timeout prove nothing. An issue without a witness is never proven. */
function outcomesOf(exitCode, witness) {
  if (exitCode === 0) return ['unproven']
  if (exitCode === null) return witness === null ? ['unproven', 'not run'] : ['unclear', 'not run']
  return exitCode === 126 || exitCode === 127 || exitCode >= 128 ? ['unclear'] : ['proven']
}

function weigh(outcome, severity, proof) {
  if (outcome === 'proven') return 'blocking'
  if (outcome === 'unproven' || (outcome === 'unclear' && proof === 'require')) return 'advisory'
  return severity
}

/** The feedback to the developer contains no issue that a person waived before the reviewer was asked. */
function* doubtFeedback({ data }, { review, waived, sessions, before }) {
  // A person who sends work back chooses the words, and may repeat those of an older review.
  if (data.feedback.from !== 'review' || before?.type === 'person.decided') return
  const asked = sessions.get(review?.data.session) ?? 0
  for (const { issue } of data.feedback.issues)
    if (waived.get(issue) < asked) yield `issue ${issue} goes to the developer, although a person waived it`
}
