/**
 * If a loop stops because its issues do not get fewer, its ledger shows that. A loop that should stop does stop: when
 * it is churning or stalled, when no blocking issue is left, or when a reviewer asks a person.
 */
import { workIn } from './approvals.mjs'
import { openLedger } from './ledger.mjs'
import { violation } from './violation.mjs'

/** Churning compares two cycles in a row, from this cycle on. */
const firstCycle = 3

export function* checkStops(events) {
  const ledger = openLedger()
  const tally = openTally(ledger)
  const state = {
    policy: null,
    work: null,
    cycle: 0,
    iteration: 0,
    review: null,
    openBefore: new Set(),
    /** The trees that were sent back: the one that the last review judged, and the current one at the last feedback. */
    returned: new Set(),
    gaveUp: false,
    hand: null,
    /** The judgements before each waiver since the review: a waiver may come between a decision and its record. */
    earlier: [],
  }
  for (const [index, event] of events.entries()) {
    const { type, data } = event
    state.work = workIn(event, state.work)
    if (type === 'loop.claimed') state.policy = data.policy
    if (type === 'loop.developing') state.iteration = data.iteration
    if (type === 'loop.started' && data.inherited?.feedback) state.returned.add(data.inherited.tree)
    if (type === 'session.ended' && data.claimed !== undefined) state.gaveUp = data.gaveUp !== undefined
    if (type === 'review.completed') {
      const openBefore = new Set(ledger.blocking().map(({ number }) => number))
      Object.assign(state, { review: data, openBefore, cycle: data.cycle, earlier: [] })
    }
    if (type === 'person.decided') {
      if (data.move === 'waive') state.earlier.push(judge(ledger, tally, state))
      else if (data.move !== 'verdict') state.hand = data.move
    }
    const before = events[index - 1]
    const next = events[index + 1]
    if (type === 'loop.feedback') {
      const isPersons = before?.type === 'person.decided' || before?.type === 'issue.opened'
      const byPerson = isPersons && followsPerson(events, index)
      if (!byPerson && data.feedback.from === 'review')
        yield* doubtReturn(event, next, [judge(ledger, tally, state), ...state.earlier], state)
      state.returned = new Set([state.work?.data.tree, state.review?.tree])
    }
    if (type === 'loop.blocked' && !followsPerson(events, index))
      yield* doubtStop(event, before, [judge(ledger, tally, state), ...state.earlier], state)
    tally.apply(event)
    ledger.apply(event)
  }
}

/** A person's verdict and its consequences are written in one append. */
function followsPerson(events, index) {
  const since = events.findLastIndex((event, at) => at < index && event.type === 'person.decided')
  const between = events.slice(since + 1, index)
  const decided = events[since]
  if (since === -1 || !['verdict', 'improve'].includes(decided.data.move)) return false
  return between.every(({ type }) => type === 'issue.opened' || type === 'loop.feedback')
}

/** What follows from the ledger now. */
function judge(ledger, tally, { cycle, review, openBefore }) {
  const open = ledger.blocking()
  const isSame = open.length === openBefore.size && open.every(({ number }) => openBefore.has(number))
  const files = open.flatMap(({ file }) => (file === null ? [] : [file.replace(/^(\.\/)+/, '')]))
  const changes = review?.changes ?? null
  const isUntouched = changes !== null && files.every((file) => !Object.hasOwn(changes, file))
  return {
    blocks: open.length > 0,
    unproven: open.filter(({ proof }) => proof?.review !== review?.review || proof?.outcome === 'unproven'),
    churning: cycle >= firstCycle && tally.grows(cycle - 1) && tally.grows(cycle),
    stalled: isSame && files.length > 0 && isUntouched,
  }
}

function* doubtReturn(event, next, judged, { policy, hand }) {
  const [now] = judged
  if (judged.every(({ blocks }) => !blocks))
    yield violation(event, 'sent back, although no issue that is open blocks')
  if (policy?.proof === 'require')
    for (const { number } of now.unproven)
      yield violation(event, `sent back for issue ${number}, which nothing has proven`)
  const stops = next?.type === 'loop.blocked' || hand === 'review'
  if (judged.every(({ churning }) => churning) && !stops)
    yield violation(event, 'sent back, although each of the last two reviews opened more than it resolved')
  if (judged.every(({ stalled }) => stalled) && !stops)
    yield violation(
      event,
      'sent back, although the same issues are open and the files they name did not change',
    )
}

function* doubtStop(event, before, judged, state) {
  const { reason } = event.data
  const some = (what) => judged.some((each) => each[what])
  if (reason === 'churning' && !some('churning'))
    yield violation(
      event,
      'stopped as churning, and the last two reviews did not open more than they resolved',
    )
  if (reason === 'stalled') {
    const byIssues = before?.type === 'loop.feedback' && before.data.feedback.from === 'review'
    if (byIssues ? !some('stalled') && !isOutOfTurns(state) : !standsStill(state))
      yield violation(event, 'stopped as stalled, and nothing shows that it does not get on')
  }
  const { review, gaveUp } = state
  if (reason === 'rejected' && review?.body.verdict !== 'REJECTED')
    yield violation(event, 'stopped as rejected, and no review rejected it')
  if (reason !== 'needs_discussion' || gaveUp) return
  const wants = review?.body.verdict === 'NEEDS_DISCUSSION' || review?.body.blocking === true
  if (!wants && judged.every(({ blocks }) => blocks))
    yield violation(event, 'stopped for a discussion, which no review wants')
}

/** The developer changed nothing at all, or nothing since the work was sent back, or used up all its turns. */
function standsStill(state) {
  const { work, returned } = state
  return work === null || work.data.empty === true || returned.has(work.data.tree) || isOutOfTurns(state)
}

function isOutOfTurns({ policy, iteration }) {
  return policy?.until === 'claim' && iteration >= policy.maxIterations
}

/** Per cycle: the issues that began to block, and the blocking issues that were resolved. */
function openTally(ledger) {
  const opened = new Map()
  const resolved = new Map()
  const of = (map, cycle) => map.get(cycle) ?? map.set(cycle, new Set()).get(cycle)

  return {
    grows: (cycle) => of(opened, cycle).size > of(resolved, cycle).size,
    /** Has to run before the ledger applies the same event. */
    apply({ type, data }) {
      const known = ledger.get(data.issue)
      if (known?.status === 'waived') return
      const blocks = known?.status === 'open' && known.severity === 'blocking'
      if (type === 'issue.opened' && data.review !== 'person') {
        const blocked = known?.severity === 'blocking' && data.reopened !== true
        if (data.reported.severity === 'blocking' && !blocked) of(opened, data.cycle).add(data.issue)
      }
      if (type === 'issue.resolved' && blocks) of(resolved, data.cycle).add(data.issue)
      if (type === 'issue.proven' && data.severity !== undefined && known?.status === 'open') {
        if (data.severity === 'blocking' && !blocks) of(opened, data.cycle).add(data.issue)
        if (data.severity === 'advisory' && blocks) of(opened, data.cycle).delete(data.issue)
      }
      // A waived issue never counts as blocking, in any cycle.
      if (type === 'issue.waived') for (const issues of opened.values()) issues.delete(data.issue)
    },
  }
}
