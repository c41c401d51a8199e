/** With these a person puts the task back into the queue. */
const goesOn = new Set(['retry', 'review', 'improve', 'merge'])

/** What the tables must say of a task: its events folded once more, only as far as the tables are compared. */
export function foldTask(events) {
  const task = {
    id: Number(events[0].stream.slice('task/'.length)),
    deleted: false,
    title: null,
    status: 'pending',
    verdict: null,
    reason: null,
    cycle: 0,
    iteration: 0,
    branch: null,
    version: 0,
    sessions: new Map(),
    reviews: new Map(),
    gates: new Map(),
    ledger: new Map(),
  }
  let lastVerdict = null
  let running = null
  let tree = null
  // Whether what is there is approved, and whether it is on its way into its base.
  let approved = false
  let landing = false

  const become = (status, verdict = null, reason = null) => Object.assign(task, { status, verdict, reason })
  /** Stopped on the way with a revision outstanding. */
  const inMidLoop = () =>
    landing ? whileLanding() : lastVerdict === 'CHANGES_REQUESTED' ? lastVerdict : null
  const whileLanding = () => (landing && approved ? 'APPROVED' : null)
  const endSession = (id, status, end = {}) => {
    const session = task.sessions.get(id)
    if (session) Object.assign(session, { status, ...end })
    running = null
  }
  const letGo = () => {
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
      if (data.move === 'merge') landing = true
      if (data.move === 'review' || data.move === 'improve') landing = false
      // A retry of what goes on by itself only ends its wait.
      const waits = data.move === 'retry' && (task.status === 'pending' || task.status === 'in_progress')
      if (goesOn.has(data.move) && !waits) become('pending', whileLanding())
      if (data.move !== 'cancel') return
      become('cancelled', inMidLoop())
      letGo()
    },

    'loop.claimed': () => become('in_progress', whileLanding()),
    'loop.released': () => become('pending', inMidLoop()),
    'loop.approved': ({ data }) => {
      approved = true
      if (data.lands !== true) return become('completed', 'APPROVED')
      landing = true
      task.verdict = 'APPROVED'
    },
    'loop.completed': () => {
      approved = false
      become('completed')
    },
    'loop.awaiting_review': () => become('awaiting_review', inMidLoop()),
    'loop.landed': () => become('completed', approved ? 'APPROVED' : null),
    'loop.feedback': () => {
      approved = false
      landing = false
    },
    'loop.committed': ({ data }) => {
      if (data.tree !== tree) {
        // What a person committed to work that was done is not what was approved.
        if (task.status === 'completed') become('awaiting_review')
        approved = false
      }
      tree = data.tree
      landing = false
    },
    'loop.blocked': ({ data }) => become('blocked', data.verdict, data.reason),
    'loop.failed': ({ data }) => become('failed', inMidLoop(), data.reason),
    'loop.started': ({ data }) => {
      task.branch = data.place.branch
      tree = data.inherited?.tree ?? null
    },
    'loop.developing': ({ data }) => {
      task.iteration = data.iteration
    },

    'session.started': ({ data }) => {
      const { session, role, iteration, cycle, attempt } = data
      const start = { role, iteration, cycle, attempt, status: 'running', exitCode: null, messages: null }
      task.sessions.set(session, start)
      running = session
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
      const { review, cycle, attempt, session, parsedBy = null, tree, body } = data
      const { verdict, blocking } = body
      const issues = body.issues.map(({ severity, status, description }) => [severity, status, description])
      task.reviews.set(review, { cycle, attempt, session, parsedBy, tree, verdict, blocking, issues })
      task.cycle = cycle
      lastVerdict = verdict
      approved = false
    },
    'issue.opened': ({ data }) => task.ledger.set(data.issue, `open ${data.reported.severity}`),
    'issue.resolved': ({ data }) => {
      const severity = task.ledger.get(data.issue)?.split(' ')[1]
      task.ledger.set(data.issue, `resolved ${severity}`)
    },
  }
  for (const event of events) {
    steps[event.type]?.(event)
    task.version = event.version
  }
  return task
}
