/**
 * A review counts only if it came from a reviewer session that this loop started for that cycle, that ended well, and
 * that judged the current tree. If a parser read it, the parser was started on that reviewer's answer.
 */
import { workIn } from './approvals.mjs'
import { short, violation } from './violation.mjs'

export function* checkReviews(events) {
  const sessions = new Map()
  const announced = new Map()
  const ends = new Map()
  const answers = new Map()
  const seen = new Set()
  const given = new Map()
  let policy = null
  let commit = null
  let before = null
  for (const event of events) {
    const { type, data } = event
    const work = workIn(event, commit)
    // If the tree is the same again, an earlier reviewer has still seen the current work.
    if (work?.data.tree !== commit?.data.tree) commit = work
    if (type === 'session.started') sessions.set(data.session, event)
    if (type === 'session.ended') ends.set(data.session, event)
    if (type === 'review.answered') {
      answers.set(data.review, event)
      for (const text of doubtAnswer(event, sessions.get(data.session), before))
        yield violation(event, `review ${data.review} ${text}`)
    }
    if (type === 'review.started') announced.set(data.review, event)
    if (type === 'loop.claimed') policy = data.policy
    if (type === 'review.given') {
      given.set(data.session, event)
      for (const text of doubtSeat(event, sessions.get(data.session), before))
        yield violation(event, `review ${data.review} ${text}`)
    }
    if (type === 'review.completed' || type === 'review.failed') {
      if (seen.has(data.review)) yield violation(event, `review ${data.review} has two ends`)
      seen.add(data.review)
    }
    if (type === 'review.completed') {
      const started = sessions.get(data.session)
      const parser = { started: sessions.get(data.parsedBy), answer: answers.get(data.review) }
      const panel = { given, policy }
      const around = { started, announced: announced.get(data.review), commit, before, ends, parser, panel }
      for (const text of doubts(event, around)) yield violation(event, `review ${data.review} ${text}`)
    }
    before = event
  }
}

function* doubts({ data }, { started, announced, commit, before, ends, parser, panel }) {
  const { session, cycle, tree } = data
  if (!started) return yield `is of session ${session}, which this loop never started`
  if (started.data.role !== 'reviewer') yield `is of session ${session}, which is a ${started.data.role}'s`
  if (started.data.cycle !== cycle) yield `is of cycle ${cycle}, its session of cycle ${started.data.cycle}`
  if (started.data.reviewed?.tree !== tree) {
    yield `is of tree ${short(tree)}, its session was given ${short(started.data.reviewed?.tree)}`
  }
  if (announced?.data.session !== session || announced.data.tree !== tree || announced.data.cycle !== cycle) {
    yield 'was not announced with this session, tree and cycle'
  }
  if (!commit) yield 'is of a loop that had committed nothing'
  else {
    if (commit.data.tree !== tree) yield `is of tree ${short(tree)}, but ${short(commit.data.tree)} was there`
    if (commit.seq > started.seq) yield 'was started before the commit that it is said to judge'
  }
  if (data.parsedBy !== undefined || data.channel === 'parser')
    yield* doubtParser(data, parser, ends.get(session))
  if (data.seats !== undefined) return yield* doubtPanel(data, panel)
  // The end of the session and its review are written in one append.
  yield* doubtEnd(data.parsedBy ?? session, before)
}

function* doubtEnd(session, before) {
  if (before?.type !== 'session.ended' || before.data.session !== session) {
    yield `does not follow the end of its session ${session}`
  } else if (before.data.outcome?.kind !== 'done' || before.data.exitCode !== 0) {
    yield `counts although its session ended as ${before.data.outcome?.kind} with exit code ${before.data.exitCode}`
  }
}

/** The review of a panel's seat comes from its own session, which was given this tree in this cycle. */
function* doubtSeat({ data }, started, before) {
  const { session, seat, tree, cycle } = data
  if (started?.data.role !== 'reviewer' || started.data.beside?.seat !== seat)
    yield `is said of seat ${seat} by session ${session}, which has not that seat`
  else if (started.data.reviewed?.tree !== tree || started.data.cycle !== cycle)
    yield `of seat ${seat} is of another tree or cycle than its session was given`
  yield* doubtEnd(session, before)
}

/** A panel's review contains what its seats said about this tree, and an approval has enough approving seats. */
function* doubtPanel({ seats, body, tree, cycle }, { given, policy }) {
  const said = seats.filter(({ verdict }) => verdict !== null)
  for (const { seat, session, verdict } of said) {
    const own = given.get(session)?.data
    if (own?.seat !== seat || own.body.verdict !== verdict || own.tree !== tree || own.cycle !== cycle)
      yield `says ${verdict} of seat ${seat}, which did not say that of this tree`
  }
  if (body.verdict !== 'APPROVED') return
  const approveBy = policy?.approveBy ?? 'all'
  const needed = approveBy === 'any' ? 1 : approveBy === 'all' ? (policy?.seats ?? 1) : approveBy.quorum
  const approvals = new Set(said.filter(({ verdict }) => verdict === 'APPROVED').map(({ seat }) => seat)).size
  if (approvals < needed) yield `approves with ${approvals} of ${needed} approvals`
  if (said.some(({ verdict }) => verdict === 'REJECTED' || verdict === 'NEEDS_DISCUSSION'))
    yield 'approves although a seat does not let it pass'
}

/** A reviewer's answer in free text comes from a session that ended well, and is about the tree that it was given. */
function* doubtAnswer({ data }, started, before) {
  if (started?.data.role !== 'reviewer')
    yield `is an answer of session ${data.session}, which is no reviewer's`
  else if (started.data.reviewed?.tree !== data.tree || started.data.cycle !== data.cycle)
    yield 'is answered of another tree or cycle than its session was given'
  yield* doubtEnd(data.session, before)
}

/** A parser runs after a reviewer that answered in free text, and reads only that answer. */
function* doubtParser({ parsedBy, session, tree, cycle, channel, rawOutput }, { started, answer }, ended) {
  if (channel !== 'parser')
    yield `came by the channel ${channel}, and session ${parsedBy} is said to have parsed it`
  if (!started) return yield `was parsed by session ${parsedBy}, which this loop never started`
  if (started.data.role !== 'parser')
    yield `was parsed by session ${parsedBy}, which is a ${started.data.role}'s`
  if (started.data.cycle !== cycle)
    yield `was parsed in cycle ${started.data.cycle}, and is of cycle ${cycle}`
  if (!ended || ended.seq > started.seq) yield `was parsed before its reviewer's session ${session} had ended`
  if (!answer) return yield 'was parsed although its reviewer had given no answer in plain words'
  if (answer.data.session !== session || answer.data.tree !== tree || answer.data.rawOutput !== rawOutput)
    yield 'is not what was parsed: another session, tree or text'
}
