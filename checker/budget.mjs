/**
 * No session starts without enough budget, as far as the journal shows it. The journal records the limits of a task and
 * a run when they are reached, and they apply for the rest of that run.
 */
import { violation } from './violation.mjs'

/** Sums of fractions are slightly inexact. */
const hair = 1e-6

/** Between a reservation and the start of its session, another session may end and cost more than it had reserved. */
const aMoment = 30_000

export function* checkBudget(events) {
  const sessions = new Map()
  const claims = new Map()
  const limits = limitsIn(events)
  for (const event of events) {
    const { type, data, stream } = event
    const task = stream.slice('task/'.length)
    if (type === 'loop.claimed') claims.set(stream, String(data.run))
    const run = claims.get(stream)
    if (type === 'session.started') {
      const { session, reservedUsd = null } = data
      sessions.set(session, { task, run, reserved: reservedUsd ?? 0, cost: null, endedAt: null })
      if (reservedUsd === null) continue
      for (const account of [`task ${task}`, `run ${run}`]) {
        // Another run may have another limit.
        const limit = limits.get(`${run}: ${account}`)
        if (limit === undefined) continue
        const used = usedOf(sessions, account, Date.parse(event.at) - aMoment)
        if (used > limit + hair)
          yield violation(
            event,
            `session ${session} was started with ${used} of ${limit} of ${account} in use`,
          )
      }
    }
    if (type === 'session.ended' && sessions.has(data.session)) {
      const session = sessions.get(data.session)
      // A session that does not report its cost has spent its reservation.
      Object.assign(session, { cost: data.costUsd ?? session.reserved, endedAt: Date.parse(event.at) })
    }
    if (type === 'loop.blocked' && data.reason === 'budget') yield* doubtRefusal(event)
  }
}

/** The journal names a limit when most of it is spent or a session does not fit. The limit applied to the whole run. */
function limitsIn(events) {
  const claims = new Map()
  const limits = new Map()
  for (const { type, data, stream } of events) {
    if (type === 'loop.claimed') claims.set(stream, String(data.run))
    if (type === 'budget.warned' && data.kind === 'near' && data.budget !== 'day')
      limits.set(`${claims.get(stream)}: ${data.budget} ${data.of}`, data.limit)
    const short = type === 'loop.blocked' ? (data.refusal?.left ?? []) : []
    for (const { budget, of, limit } of short)
      if (limit !== undefined && budget !== 'day') limits.set(`${claims.get(stream)}: ${budget} ${of}`, limit)
  }
  return limits
}

function usedOf(sessions, account, since) {
  return [...sessions.values()]
    .filter(({ task, run }) => account === `task ${task}` || account === `run ${run}`)
    .map(({ reserved, cost, endedAt }) => (endedAt > since ? Math.min(reserved, cost) : (cost ?? reserved)))
    .reduce((sum, usd) => sum + usd, 0)
}

function* doubtRefusal(event) {
  const { refusal } = event.data
  if (!(refusal?.usd >= 0) || !(refusal.left.length > 0))
    yield violation(event, 'stopped for want of money, and it is not said for what, or where')
}
