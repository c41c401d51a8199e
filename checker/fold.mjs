import { openMerges } from './merges.mjs'

/** With these moves a person puts the task back into the queue. */
const goesOn = new Set(['retry', 'review', 'improve', 'merge'])

/** What the tables must say about a task. It folds the events again, but only the fields that are compared. */
export function foldTask(events) {
  const fold = openFold(events[0].stream)
  for (const event of events) fold.apply(event)
  return fold.task
}

/** The same, event by event: `task` always holds the current state. */
export function openFold(stream) {
  const task = {
    id: Number(stream.slice('task/'.length)),
    deleted: false,
    title: null,
    status: 'pending',
    verdict: null,
    reason: null,
    heldBy: [],
    cycle: 0,
    iteration: 0,
    branch: null,
    target: null,
    landed: null,
    landedOn: null,
    lastReview: null,
    checkpointAt: null,
    version: 0,
    sessions: new Map(),
    reviews: new Map(),
    gates: new Map(),
    ledger: new Map(),
  }
  let lastVerdict = null
  let running = null
  const beside = new Set()
  let tree = null
  // Whether the current work is approved, and whether it is being landed.
  let approved = false
  let landing = false
  const merges = openMerges()

  const become = (status, verdict = null, reason = null) =>
    Object.assign(task, { status, verdict, reason, heldBy: [] })
  /** The task has stopped: sessions that still run in parallel no longer matter. */
  const rest = (status, verdict, reason) => {
    become(status, verdict, reason)
    for (const session of beside) endSession(session, 'interrupted')
  }
  /** The verdict of a loop that stops before its end: a landing keeps its approval, a revision stays outstanding. */
  const inMidLoop = () =>
    landing ? whileLanding() : lastVerdict === 'CHANGES_REQUESTED' ? lastVerdict : null
  const whileLanding = () => (landing && approved ? 'APPROVED' : null)
  const endSession = (id, status, end = {}) => {
    const session = task.sessions.get(id)
    if (session) Object.assign(session, { status, ...end })
    if (!beside.delete(id)) running = null
  }
  const letGo = () => {
    for (const session of beside) endSession(session, 'interrupted')
    if (running !== null) endSession(running, 'interrupted')
  }

  const steps = {
    'task.added': ({ data }) => {
      task.title = data.task.title
    },
    'task.changed': ({ data }) => {
      task.title = data.changes.title ?? task.title
    },
    'task.deleted': () => {
      become('cancelled', task.verdict, task.reason)
      task.deleted = true
      letGo()
    },
    'person.decided': ({ data }) => {
      if (data.move === 'verdict' && data.verdict !== 'APPROVED') {
        approved = false
        landing = false
      }
      if (data.move === 'merge') {
        landing = true
        task.landed = null
        task.landedOn = null
      }
      if (data.move === 'review' || data.move === 'improve') landing = false
      // A retry of a task that would continue anyway only ends its wait.
      const waits = data.move === 'retry' && (task.status === 'pending' || task.status === 'in_progress')
      if (goesOn.has(data.move) && !waits) become('pending', whileLanding())
      if (data.move !== 'cancel') return
      become('cancelled', inMidLoop())
      letGo()
    },

    'loop.claimed': () => become('in_progress', whileLanding()),
    'loop.released': () => {
      task.status = 'pending'
      task.verdict = inMidLoop()
    },
    'loop.approved': ({ data }) => {
      approved = true
      if (data.lands !== true) return rest('completed', 'APPROVED')
      landing = true
      task.verdict = 'APPROVED'
    },
    'loop.completed': ({ data }) => {
      approved = false
      if (data.lands === true) landing = true
      else rest('completed')
    },
    'loop.awaiting_review': () => rest('awaiting_review', inMidLoop()),
    'loop.landed': ({ data }) => {
      rest('completed', approved ? 'APPROVED' : null)
      task.landed = data.commit
      task.landedOn = data.base
    },
    'loop.feedback': () => {
      approved = false
      landing = false
    },
    // Another branch must be merged in first. Until then the work is not being landed.
    'loop.resolving': () => {
      landing = false
      task.verdict = null
    },
    'loop.merging': (event) => {
      // There was nothing to merge, so the landing continues.
      if (merges.after(event) === 'lands') landing = true
    },
    'loop.abandoned': (event) => {
      if (merges.after(event) === 'lands') landing = true
    },
    'loop.committed': ({ data }) => {
      if (data.tree !== tree) {
        // A commit that a person adds to completed work was never approved.
        if (task.status === 'completed') become('awaiting_review')
        approved = false
      }
      if (merges.current() !== null) approved = false
      tree = data.tree
      landing = false
    },
    'loop.freed': () => task.status === 'blocked' && become('pending', whileLanding()),
    'loop.blocked': ({ data }) => {
      rest('blocked', data.verdict, data.reason)
      task.heldBy = data.by ?? []
    },
    'loop.failed': ({ data }) => rest('failed', inMidLoop(), data.reason),
    'loop.started': ({ data }) => {
      task.branch = data.place.branch
      task.target = data.place.target ?? null
      tree = data.inherited?.tree ?? null
    },
    'loop.developing': ({ data }) => {
      task.iteration = data.iteration
    },

    'session.started': ({ data }) => {
      const { session, role, iteration, cycle, attempt, reservedUsd = null } = data
      const counts = { role, iteration, cycle, attempt, reservedUsd }
      task.sessions.set(session, { ...counts, status: 'running', exitCode: null, messages: null })
      if (data.beside) beside.add(session)
      else running = session
    },
    'session.ended': ({ data }) => {
      const { session, outcome, exitCode, messages } = data
      endSession(session, outcome.kind, { exitCode, messages })
    },
    'session.lost': ({ data }) => endSession(data.session, 'lost'),

    'gate.completed': ({ seq, data }) => {
      const { name, kind, passed, exitCode, tree } = data
      task.gates.set(seq, { name, kind, passed, exitCode, tree })
    },
    'review.completed': ({ data }) => {
      const { cycle, attempt, parsedBy = null, seats = null } = data
      task.reviews.set(data.review, { kind: 'task', attempt, parsedBy, seats, ...said(data) })
      task.cycle = cycle
      task.lastReview = data.review
      lastVerdict = data.body.verdict
      approved = false
    },
    // A checkpoint is stored with the reviews, but it is no review of the task.
    'loop.checkpoint': ({ data, at }) => {
      const fields = { kind: 'checkpoint', attempt: 1, parsedBy: null, seats: null }
      task.reviews.set(data.review, { ...fields, ...said(data) })
      task.checkpointAt = at
    },
    'issue.opened': ({ data }) => {
      const known = task.ledger.get(data.issue)
      if (known?.status === 'waived') return
      const { severity, witness = null } = data.reported
      task.ledger.set(data.issue, { status: 'open', severity, witness })
    },
    'issue.resolved': ({ data }) => change(data.issue, { status: 'resolved' }),
    'issue.proven': ({ data }) => {
      const known = task.ledger.get(data.issue)
      // The issue may have another witness by now. Then the old one proves nothing about it.
      if (JSON.stringify(known?.witness) !== JSON.stringify(data.witness)) return
      if (data.severity !== undefined) change(data.issue, { severity: data.severity })
    },
    'issue.waived': ({ data }) => change(data.issue, { status: 'waived' }),
  }

  /** A waived issue stays waived, whatever a later review says about it. */
  function change(number, changes) {
    const known = task.ledger.get(number)
    if (known?.status !== 'waived') task.ledger.set(number, { ...known, ...changes })
  }

  return {
    task,
    apply(event) {
      steps[event.type]?.(event)
      merges.apply(event)
      task.version = event.version
    },
  }
}

function said({ cycle, session, tree, body }) {
  const { verdict, blocking } = body
  const issues = body.issues.map(({ severity, status, description }) => [severity, status, description])
  return { cycle, session, tree, verdict, blocking, issues }
}
