/**
 * The tables agree with the journal: each row is compared with a fold of the events, and no row exists without events.
 */
import { foldTask } from './fold.mjs'
import { violation } from './violation.mjs'

export function* checkProjections({ streams, tables }) {
  const folded = new Map()
  for (const [stream, events] of streams) {
    if (!stream.startsWith('task/')) continue
    try {
      const task = foldTask(events)
      folded.set(task.id, task)
    } catch (error) {
      yield violation(events[0], `the history can't be folded (${error.message})`)
    }
  }
  const tasks = [...folded.values()]
  const all = (name) => tasks.flatMap((task) => [...task[name]].map(([id, value]) => ({ task, id, value })))

  yield* compare('tasks', tables.tasks.map(taskRow), tasks.filter(({ deleted }) => !deleted).map(taskFold))
  const emptied = new Set(tables.loops.filter(({ state }) => state === '').map((row) => row.task_id))
  yield* compare(
    'loops',
    tables.loops.map(loopRow),
    tasks.map((task) => loopFold(task, emptied.has(task.id))),
  )
  yield* compare('sessions', tables.sessions.map(sessionRow), all('sessions').map(sessionFold))
  yield* compare('loop_reviews', tables.reviews.map(reviewRow), all('reviews').map(reviewFold))
  yield* compare('review_issues', issueRows(tables.issues, all('reviews')), all('reviews').flatMap(issueFold))
  yield* compare('gate_results', tables.gates.map(gateRow), all('gates').map(gateFold))
  yield* compare('runs', tables.runs.map(runRow), [...streams].filter(isRun).map(runFold))
}

/** Both are lists of { key, stream, fields }. A key occurs once in each. */
function* compare(table, rows, wanted) {
  const left = new Map(rows.map((row) => [row.key, row]))
  for (const { key, stream, fields } of wanted) {
    const row = left.get(key)
    left.delete(key)
    if (!row) {
      yield violation({ stream }, `${table} has no row ${key}, which the journal tells of`)
      continue
    }
    for (const [name, value] of Object.entries(fields)) {
      const found = row.fields[name]
      if (JSON.stringify(found) !== JSON.stringify(value)) {
        const says = `${show(found)}, the journal says ${show(value)}`
        yield violation({ stream }, `${table} row ${key}: ${name} is ${says}`)
      }
    }
  }
  for (const { key, stream } of left.values()) {
    yield violation({ stream }, `${table} has a row ${key}, of which the journal does not tell`)
  }
}

function show(value) {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 200 ? `${text.slice(0, 200)}...` : text
}

const streamOf = (task) => `task/${task}`

const taskFields = ({ title, status, verdict, reason, cycle, iteration, branch }) => {
  return { title, status, verdict, reason, cycle, iteration, branch }
}

/** The fields that only the printed row has. */
const summaryFields = ({ heldBy, target, landed, landedOn }) => ({ heldBy, target, landed, landedOn })

function taskFold(task) {
  // Twice, because the row is kept both as columns and as what `status --json` prints.
  return {
    key: task.id,
    stream: streamOf(task.id),
    fields: { ...taskFields(task), summary: taskFields(task), ...summaryFields(task) },
  }
}

function taskRow(row) {
  const summary = JSON.parse(row.summary)
  const columns = taskFields({ ...row, branch: summary.branch })
  const fields = { ...columns, summary: taskFields(summary), ...summaryFields(summary) }
  return { key: row.id, stream: streamOf(row.id), fields }
}

/** A newer version of Umpire empties the state that an older one folded, and folds it again when it next needs it. */
function loopFold(task, isEmptied) {
  const { version, cycle, iteration, lastReview, checkpointAt, status, verdict, deleted, ledger } = task
  const issues = [...ledger].map(([number, issue]) => `${number} ${issue.status} ${issue.severity}`)
  const counts = { version, cycle, iteration, lastReview, checkpointAt }
  const fields = isEmptied ? counts : { ...counts, status, verdict, deleted, issues }
  return { key: task.id, stream: streamOf(task.id), fields }
}

function loopRow({ task_id: id, version, cycle, iteration, state, ...row }) {
  const { standing, review } = state === '' ? {} : JSON.parse(state)
  const { status, verdict, deleted } = standing ?? {}
  const issues = review?.ledger.map((issue) => `${issue.number} ${issue.status} ${issue.severity}`)
  const counts = {
    version,
    cycle,
    iteration,
    lastReview: row.last_review_id,
    checkpointAt: row.checkpoint_at,
  }
  const fields = { ...counts, status, verdict, deleted, issues }
  return { key: id, stream: streamOf(id), fields }
}

function sessionFold({ task, id, value }) {
  return { key: id, stream: streamOf(task.id), fields: { task: task.id, ...value } }
}

function sessionRow(row) {
  const { id, task_id: task, role, iteration, cycle, attempt, status, exit_code: exitCode, messages } = row
  const counts = { role, iteration, cycle, attempt, reservedUsd: row.reserved_usd }
  const fields = { task, ...counts, status, exitCode, messages }
  return { key: id, stream: streamOf(task), fields }
}

function reviewFold({ task, id, value: { issues: _, ...review } }) {
  const passed = review.verdict === 'APPROVED'
  // A checkpoint belongs to its loop and is no review of the task.
  const owner = { task: review.kind === 'task' ? task.id : null, loop: `loop-${task.id}` }
  return { key: id, stream: streamOf(task.id), fields: { ...owner, ...review, passed } }
}

function reviewRow(row) {
  const { id, task_id: task, loop_id: loop, kind, cycle, attempt, tree, verdict } = row
  const by = { session: row.session_id, parsedBy: row.parsed_by, seats: row.seats && JSON.parse(row.seats) }
  const marks = { blocking: row.blocking === 1, passed: row.passed === 1 }
  return {
    key: id,
    stream: streamOf(String(loop).replace(/^loop-/, '')),
    fields: { task, loop, kind, cycle, attempt, ...by, tree, verdict, ...marks },
  }
}

function issueFold({ task, id, value }) {
  return value.issues.map(([severity, status, description], position) => ({
    key: `${id} ${position}`,
    stream: streamOf(task.id),
    fields: { severity, status, description },
  }))
}

function issueRows(rows, reviews) {
  const owners = new Map(reviews.map(({ task, id }) => [id, task.id]))
  return rows.map(({ loop_review_id: review, position, severity, status, description }) => ({
    key: `${review} ${position}`,
    stream: streamOf(owners.get(review) ?? '?'),
    fields: { severity, status, description },
  }))
}

function gateFold({ task, id, value }) {
  return { key: id, stream: streamOf(task.id), fields: { task: task.id, ...value } }
}

function gateRow({ seq, task_id: task, name, kind, passed, exit_code: exitCode, tree }) {
  const fields = { task, name, kind, passed: passed === 1, exitCode, tree }
  return { key: seq, stream: streamOf(task), fields }
}

const isRun = ([stream]) => stream.startsWith('run/')

function runFold([stream, events]) {
  const started = events.find(({ type }) => type === 'run.started')
  const ended = events.find(({ type }) => type === 'run.ended')
  const fields = {
    effort: started?.data.effort ?? null,
    parallel: started?.data.parallel,
    startedAt: started?.at,
    endedAt: ended?.at ?? null,
    outcome: ended?.data.outcome ?? null,
    worked: ended?.data.worked ?? null,
  }
  return { key: Number(stream.slice('run/'.length)), stream, fields }
}

function runRow({ id, effort, parallel, outcome, worked, started_at: startedAt, ended_at: endedAt }) {
  const fields = { effort, parallel, startedAt, endedAt, outcome, worked: worked && JSON.parse(worked) }
  return { key: id, stream: `run/${id}`, fields }
}
