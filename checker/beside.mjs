/**
 * Sessions that run in parallel. All seats of a panel are asked, a seat that says nothing does not count, and none is
 * asked more often than its retries allow. A checkpoint looks at unfinished work when an interval is reached. It
 * approves nothing, opens no issue and counts for nothing.
 */
import { workIn } from './approvals.mjs'
import { violation } from './violation.mjs'

/** After this many lost runs in a row (the keeper vanished), the agent counts as crashed. */
const mostLosses = 10

export function* checkBeside(events) {
  const state = {
    policy: null,
    work: null,
    cycle: 0,
    count: 0,
    asked: null,
    intervals: new Set(),
    started: new Map(),
    given: new Map(),
    main: null,
    tries: openTries(),
    before: null,
  }
  for (const event of events) {
    const { type, data } = event
    const work = workIn(event, state.work)
    if (work?.data.tree !== state.work?.data.tree) state.tries.forget()
    state.work = work
    if (type === 'loop.claimed') state.policy = data.policy
    for (const text of doubtsOf(event, state)) yield violation(event, text)
    const started = state.started.get(data.session)
    // If the tree has changed since, the seat is asked again.
    state.tries.apply(event, started?.data.reviewed?.tree === state.work?.data.tree ? started : undefined)
    if (type === 'session.started') {
      state.started.set(data.session, event)
      if (data.beside?.kind !== 'checkpoint') state.count += 1
      if (!data.beside) state.main = data
    }
    const isMain = state.main?.session === data.session
    if (isMain && (type === 'session.ended' || type === 'session.lost')) state.main = null
    if (type === 'loop.interval') state.intervals.add(data.iteration)
    if (type === 'review.given') state.given.set(data.session, data)
    if (type === 'review.completed') state.cycle = data.cycle
    state.before = event
  }
}

function doubtsOf(event, state) {
  switch (event.type) {
    case 'loop.reviewing':
      return doubtAsking(event, state)
    case 'loop.interval':
      return doubtInterval(event, state)
    case 'session.started':
      return event.data.beside?.kind === 'panel' ? doubtSeat(event, state) : doubtLook(event, state)
    case 'loop.checkpoint':
      return doubtCheckpoint(event, state)
    case 'review.completed':
      return event.data.seats === undefined ? doubtSingle(event, state) : doubtCombined(event, state)
    default:
      return []
  }
}

function* doubtAsking({ data }, state) {
  const { policy, count } = state
  const seats = policy?.seats ?? 1
  state.asked = data.seats === undefined ? null : { seats: data.seats, number: count + 1 }
  if ((data.seats !== undefined) !== seats > 1)
    yield data.seats ? 'a panel is asked where one reviews' : `one is asked where ${seats} review`
  for (const seat of data.seats ?? [])
    if (!(seat >= 1 && seat <= seats)) yield `seat ${seat} of ${seats} is asked`
}

function* doubtSeat({ data, stream }, { asked, tries, policy }) {
  const { session, beside } = data
  const expected = `${stream.slice('task/'.length)}-${asked?.number}p${beside.seat}`
  if (!asked?.seats.includes(beside.seat))
    yield `session ${session} is of seat ${beside.seat}, which is not asked`
  else if (session !== expected) yield `session ${session} was started where ${expected} is next`
  const { failures, losses, malformed, hopeless } = tries.of(beside.seat)
  const so = `session ${session} is of seat ${beside.seat}`
  if (failures > policy?.agentRetries)
    yield `${so} after ${failures} failures, ${policy.agentRetries} retries are allowed`
  if (malformed > policy?.reviewRetries) yield `${so} after ${malformed} unreadable reviews`
  if (losses >= mostLosses) yield `${so} after ${losses} lost ones in a row`
  if (hopeless) yield `${so}, which could only fail again`
}

/** Every seat is accounted for, and the panel's verdict is one that a seat gave. */
function* doubtCombined({ data }, { policy, given }) {
  const { review, seats, body } = data
  const said = seats.filter(({ verdict }) => verdict !== null).map(({ session }) => given.get(session))
  const numbers = seats.map(({ seat }) => seat).join(' ')
  const wanted = Array.from({ length: policy?.seats ?? 1 }, (_, index) => index + 1).join(' ')
  if (numbers !== wanted) yield `review ${review} is of the seats ${numbers}, and ${wanted} are to be heard`
  for (const { seat, verdict, why, session } of seats) {
    if (verdict === null && (why === null || given.has(session)))
      yield `review ${review} calls seat ${seat} absent, which is not so`
  }
  if (!said.some((each) => each?.body.verdict === body.verdict))
    yield `review ${review} says ${body.verdict}, which none of its seats said`
  if (body.verdict === 'APPROVED' && said.some((each) => each?.body.blocking === true))
    yield `review ${review} approves, although a seat asks for a person`
}

function* doubtSingle({ data }, { started }) {
  const { beside } = started.get(data.session)?.data ?? {}
  if (beside)
    yield `review ${data.review} is the word of session ${data.session} alone, which ran beside others`
}

/** An interval comes after every `checkpointEvery` turns, and each one only once. */
function* doubtInterval({ data }, { policy, intervals }) {
  const every = policy?.checkpointEvery ?? null
  if (every === null || data.iteration % every !== 0)
    yield `iteration ${data.iteration} is no interval, which is ${every ?? 'none'}`
  if (intervals.has(data.iteration)) yield `iteration ${data.iteration} is an interval a second time`
}

/** A checkpoint looks at work during development, not during review or merge. */
function* doubtLook({ data, stream }, { main, intervals, cycle, policy }) {
  const { session, beside } = data
  if (beside?.kind !== 'checkpoint') return
  const own = String(beside.by) === stream.slice('task/'.length)
  if (own && !intervals.has(beside.iteration))
    yield `session ${session} looks at it because of iteration ${beside.iteration}, which is no interval`
  if (main !== null && main.role !== 'developer')
    yield `session ${session} looks at unfinished work while ${main.session}, a ${main.role}'s, runs`
  if ((policy?.checkpointEvery ?? null) === null)
    yield `session ${session} looks at what no checkpoint is set for`
  if (data.role !== 'reviewer' || data.cycle !== cycle + 1)
    yield `session ${session} is a ${data.role}'s of cycle ${data.cycle}, and looks at work before review ${cycle + 1}`
}

function* doubtCheckpoint({ data }, { started, before }) {
  const { review, session, tree, by } = data
  const start = started.get(session)?.data
  if (start?.beside?.kind !== 'checkpoint' || start.beside.by !== by)
    yield `checkpoint ${review} is of session ${session}, which was none because of task ${by}`
  else if (start.reviewed?.tree !== tree || start.cycle !== data.cycle)
    yield `checkpoint ${review} is of another tree or cycle than its session was given`
  if (before?.type !== 'session.ended' || before.data.session !== session)
    yield `checkpoint ${review} does not follow the end of its session ${session}`
  else if (before.data.outcome?.kind !== 'done' || before.data.exitCode !== 0)
    yield `checkpoint ${review} counts although its session failed`
  if (data.verdict !== data.body.verdict) yield `checkpoint ${review} says two verdicts`
}

/** The failures of each seat until the panel is asked anew. Sessions from before that no longer count. */
function openTries() {
  const seats = new Map()
  const asked = new Map()
  let cycle = null
  const none = { failures: 0, losses: 0, malformed: 0, hopeless: false }
  const of = (seat) => seats.get(seat) ?? none
  const forget = () => {
    seats.clear()
    asked.clear()
  }

  return {
    of,
    forget,
    apply({ type, data }, started) {
      const moves = type === 'person.decided' && !['verdict', 'cancel', 'waive'].includes(data.move)
      if (moves || type === 'loop.feedback' || type === 'review.completed' || type === 'loop.resolving')
        forget()
      if (type === 'loop.reviewing' && data.cycle !== cycle) {
        forget()
        cycle = data.cycle
      }
      if (type === 'session.started' && data.beside?.kind === 'panel')
        asked.set(data.beside.seat, data.session)
      const { beside } = started?.data ?? {}
      if (beside?.kind !== 'panel' || asked.get(beside.seat) !== data.session) return
      const tries = of(beside.seat)
      if (type === 'session.lost') seats.set(beside.seat, { ...tries, losses: tries.losses + 1 })
      if (type === 'session.ended' && data.outcome.kind === 'failed')
        seats.set(beside.seat, withFailure(tries, data.outcome))
      if (type === 'review.failed' && data.cause === 'malformed')
        seats.set(beside.seat, { ...none, malformed: tries.malformed + 1 })
    },
  }
}

/** A rate limit with a known end is waited for, and a prompt that was too long gets shorter. Neither costs a retry. */
function withFailure(tries, { class: failure, retry, retryAt }) {
  const hopeless = failure === 'auth' || retry === 'never'
  const isFree = retry === 'shorter' || (failure === 'rate_limited' && retryAt !== null)
  return { ...tries, losses: 0, hopeless, failures: tries.failures + (isFree ? 0 : 1) }
}
