/**
 * Only the worker that claimed a loop last may write to it, until it releases the loop. Sessions follow each other,
 * each with one end. A write by an older worker after a newer claim shows in one of three ways: a session that is not
 * the running one, limits that differ from those of the claim, or an event of a run that had ended.
 */
import { violation } from './violation.mjs'

const ofPeople = new Set(['task.added', 'task.changed', 'task.deleted', 'person.decided', 'issue.waived'])
/** Written by the scheduler, and never to a task that is being worked on. */
const ofSchedule = ({ type, data }) =>
  type === 'loop.freed' || type === 'task.overlaps' || (type === 'loop.blocked' && data.by !== undefined)
const atRest = new Set([
  'loop.released',
  'loop.approved',
  'loop.completed',
  'loop.awaiting_review',
  'loop.blocked',
  'loop.failed',
  'loop.landed',
  'task.deleted',
])
/** With these moves a person continues a task that had ended. */
const goesOn = new Set(['retry', 'review', 'improve', 'merge'])

export function* checkHolds(streams) {
  const runs = readRuns(streams)
  const workers = new Set()
  for (const [stream, events] of streams) {
    if (!stream.startsWith('task/')) continue
    yield* checkClaims(events, runs, workers)
    yield* checkSessions(events)
  }
}

function readRuns(streams) {
  const runs = new Map()
  for (const [stream, events] of streams) {
    if (!stream.startsWith('run/')) continue
    const seqOf = (type) => events.find((event) => event.type === type)?.seq
    const ended = seqOf('run.ended') ?? Number.POSITIVE_INFINITY
    runs.set(stream.slice('run/'.length), { started: seqOf('run.started') ?? 0, ended })
  }
  return runs
}

function* checkClaims(events, runs, workers) {
  let hold = null
  let ending = null
  let before = null
  let last = null
  let cycle = 0
  let granted = 0
  for (const event of events) {
    const { type, data, seq } = event
    if (type === 'review.completed') cycle = data.cycle
    if (grantsReview(event, ending)) granted = Math.max(granted, cycle + 1)
    const allowed = Math.max(hold?.data.policy?.maxCycles ?? 0, granted)
    if (type === 'loop.claimed') {
      const run = runs.get(String(data.run))
      if (!run || run.started > seq)
        yield violation(event, `claimed for run ${data.run}, which had not begun`)
      else if (run.ended < seq) yield violation(event, `claimed for run ${data.run}, which had ended`)
      if (workers.has(data.worker)) yield violation(event, `${data.worker} claimed something before`)
      if (ending !== null)
        yield violation(event, `claimed after ${ending.type}, which only a person can undo`)
      workers.add(data.worker)
      hold = event
    } else if (ofSchedule(event)) {
      if (hold !== null) yield violation(event, `${type} was written while ${hold.data.worker} worked on it`)
      if (type === 'loop.freed' && ending?.type !== 'loop.blocked')
        yield violation(event, 'freed, and was not blocked')
    } else if (isWorkers(event, before)) {
      if (hold === null) {
        if (!needsNoHold(event, ending, last))
          yield violation(event, `${type} was written by nobody who holds the loop`)
      } else if (runs.get(String(hold.data.run))?.ended < seq) {
        yield violation(event, `${type} was written for run ${hold.data.run}, which had ended`)
      } else if (data.maxCycles !== undefined && data.maxCycles !== allowed) {
        yield violation(
          event,
          `${type} speaks of ${data.maxCycles} reviews, but the claim before it of ${allowed}`,
        )
      }
    }
    if (endsHold(event)) hold = null
    if (type === 'loop.freed' || (type === 'person.decided' && goesOn.has(data.move))) ending = null
    else if (type !== 'loop.released' && endsHold(event)) ending = event
    // A person's issues and feedback come between the verdict and its consequence, so they are skipped here.
    if (isWorkers(event, before) || !['issue.opened', 'loop.feedback'].includes(type)) before = event
    last = event
  }
}

/** The person's own command writes the consequences of a move together with the move, so no worker wrote them. */
function isWorkers({ type, data }, before) {
  if (ofPeople.has(type)) return false
  const beside = before?.type === 'person.decided' ? before.data.move : null
  if (type === 'loop.approved') return data.by !== 'person'
  if (beside === 'improve') return type !== 'loop.feedback'
  return !(['loop.blocked', 'issue.opened', 'loop.feedback'].includes(type) && beside === 'verdict')
}

/**
 * No claim is needed to commit a person's changes before they approve by hand. None is needed either to record that a
 * person merged work that was waiting for a dirty checkout.
 */
function needsNoHold({ type, data }, ending, last) {
  if (type === 'loop.committed') return data.message === 'Change by hand'
  if (type === 'loop.landed') return data.tree === null && last?.type === 'loop.integrated'
  const { kind, tree } = data.outcome ?? {}
  return type === 'loop.integrated' && kind === 'landed' && tree === null && waits(ending)
}

const waits = (event) => event?.type === 'loop.blocked' && event.data.reason === 'checkout_dirty'

function endsHold({ type, data }) {
  if (type === 'loop.approved' || type === 'loop.completed') return data.lands !== true
  return atRest.has(type) || (type === 'person.decided' && data.move === 'cancel')
}

/**
 * A person who asks for more work grants one more review, and so does approved work that did not land. A retry after a
 * discussion or a rejection also leads to another review.
 */
export function grantsReview({ type, data }, ending) {
  if (type === 'loop.resolving') return true
  if (type !== 'person.decided') return false
  if (data.move === 'review' || data.move === 'improve') return true
  const { reason } = ending?.data ?? {}
  if (data.move === 'retry' && (reason === 'needs_discussion' || reason === 'rejected')) return true
  return data.move === 'verdict' && data.verdict === 'CHANGES_REQUESTED'
}

const finishing = new Set(['loop.completed', 'loop.awaiting_review', 'loop.landing', 'loop.landed'])

function* checkSessions(events) {
  let running = null
  let count = 0
  // Sessions that run in parallel: the seats of a panel, and checkpoints.
  const beside = new Set()
  const seen = new Set()
  for (const event of events) {
    const { type, data, stream } = event
    if (type === 'session.started') {
      const task = stream.slice('task/'.length)
      if (data.beside?.kind !== 'checkpoint') count += 1
      const expected = data.beside ? besideName(task, data) : `${task}-${count}`
      if (data.session !== expected)
        yield violation(event, `session ${data.session} was started where ${expected} is next`)
      if (seen.has(data.session)) yield violation(event, `session ${data.session} was started twice`)
      if (running !== null && data.beside?.kind !== 'checkpoint')
        yield violation(event, `session ${data.session} was started while ${running} had no end`)
      seen.add(data.session)
      if (data.beside) beside.add(data.session)
      else running = data.session
    }
    if (type === 'session.ended' || type === 'session.lost') {
      if (!beside.delete(data.session)) {
        if (running !== data.session) {
          const found = running === null ? 'none is running' : `${running} is the one that runs`
          yield violation(event, `${type} is of session ${data.session}, but ${found}`)
        }
        running = null
      }
    }
    if (type === 'task.deleted' || (type === 'person.decided' && data.move === 'cancel')) {
      running = null
      beside.clear()
    }
    // A loop that stops no longer waits for its parallel sessions.
    if (type === 'loop.blocked' || type === 'loop.failed') beside.clear()
    const finishes = finishing.has(type) || (type === 'loop.approved' && data.by === 'review')
    const left = running ?? [...beside][0]
    if (finishes && left !== undefined) yield violation(event, `${type} while session ${left} had no end`)
  }
}

/** The seats of one panel share a number. A checkpoint is named after its interval. */
function besideName(task, { session, beside }) {
  if (beside.kind === 'checkpoint') return `${task}-c${beside.by}.${beside.iteration}`
  const number = /^\d+-([1-9]\d*)p\d+$/.exec(session)?.[1] ?? '1'
  return `${task}-${number}p${beside.seat}`
}
