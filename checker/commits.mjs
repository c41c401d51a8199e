/**
 * Git contains what the journal says: each record is based on the one before it, its tree is the commit's, and every
 * commit of the branch was made in an attempt of this loop.
 */
import { foldTask } from './fold.mjs'
import { short, violation } from './violation.mjs'

export function* checkCommits(events, git) {
  const records = events.filter(({ type }) => type === 'loop.committed')
  const place = events.findLast(({ type }) => type === 'loop.started')?.data.place
  if (!place) {
    if (records.length > 0) yield violation(records[0], 'a commit is recorded of a loop that has no branch')
    return
  }
  const { status, reason, deleted } = foldTask(events)
  const head = git.head(place.branch)
  const last = records.at(-1)?.data.sha ?? place.start ?? place.baseCommit
  const begun = events.some(({ type }) => type === 'session.started')
  // The user who merged the work may have deleted the branch.
  const over = deleted || status === 'completed' || status === 'cancelled'
  if (head === undefined && begun && !over) {
    yield violation(events.at(-1), `the branch ${place.branch} is gone`)
  }
  const gone = head === undefined && over
  if (gone && git.commit(last) === null) return
  yield* checkRecords(events, records, place, git)
  if (head !== undefined && git.commit(place.baseCommit) && git.commit(last)) {
    yield* checkBranch({ events, records, place, status, reason, head, last }, git)
  }
}

function* checkRecords(events, records, { baseCommit, start }, git) {
  const writers = new Map()
  for (const { type, data, seq } of events) {
    if (type === 'session.started' && isWriter(data)) writers.set(data.session, { seq, role: data.role })
  }
  let from = start ?? baseCommit
  for (const record of records) {
    const { sha, tree, session } = record.data
    if (record.data.from !== from) {
      yield violation(
        record,
        `the commit stands on ${short(record.data.from)}, but ${short(from)} was the last one`,
      )
    }
    from = sha
    if (!(writers.get(session)?.seq < record.seq) && !isPersons(record, writers)) {
      yield violation(record, `the commit is of session ${session}, no developer's of this loop before it`)
    }
    const commit = git.commit(sha)
    if (!commit) {
      yield violation(record, `the commit ${short(sha)} is not in the repository`)
      continue
    }
    if (commit.tree !== tree) {
      yield violation(record, `the commit ${short(sha)} has tree ${short(commit.tree)}, not ${short(tree)}`)
    }
    // A session that changed nothing is recorded with the commit of the session before it.
    if (sha === record.data.from) continue
    for (const attempt of attemptsIn(commit.message, record.stream)) {
      if (attempt !== session) {
        yield violation(
          record,
          `the commit ${short(sha)} names session ${attempt}, it is recorded of ${session}`,
        )
      }
    }
  }
}

/** A developer, or a resolver of a merge in the same worktree. */
function isWriter({ role }) {
  return role === 'developer' || role === 'resolver'
}

/** If no developer has worked yet, Umpire commits a person's changes under session number 0, which no session has. */
function isPersons({ stream, seq, data }, writers) {
  const worked = [...writers.values()].some((writer) => writer.role === 'developer' && writer.seq < seq)
  return !worked && data.session === `${stream.slice('task/'.length)}-0`
}

/** The sessions of this task that a commit names. A commit that was merged into the branch may name another task's. */
function attemptsIn(message, stream) {
  const task = stream.slice('task/'.length)
  return [...message.matchAll(/^Attempt: (\d+)\/(\d+)$/gm)]
    .filter(([, of]) => of === task)
    .map(([, , number]) => `${task}-${number}`)
}

function* checkBranch({ events, records, place, status, reason, head, last }, git) {
  const graph = git.graph(place.baseCommit, head, last)
  for (const record of records) {
    const { sha, from } = record.data
    if (sha !== from && !reaches(graph, sha, from)) {
      yield violation(record, `the commit ${short(sha)} does not descend from ${short(from)}`)
    }
  }
  // While a session works on it, the branch may be ahead of the journal.
  if (head === last || status === 'in_progress') return
  const recorded = ancestors(graph, last)
  const strays = [...ancestors(graph, head)].filter((sha) => !recorded.has(sha))
  if (reaches(graph, head, last) && isTurnOpen(events)) return
  // The person was told to merge the base into the branch, and to have the result reviewed.
  if (reaches(graph, head, last) && status === 'blocked' && reason === 'conflict') return
  const where = `the branch ${place.branch} is at ${short(head)} instead of ${short(last)}`
  yield violation(records.at(-1) ?? events.at(-1), where)
  for (const sha of strays.slice(0, 20)) {
    yield violation(
      records.at(-1) ?? events.at(-1),
      `the commit ${short(sha)} on ${place.branch} is of no attempt`,
    )
  }
}

/** A session that may commit was started since the last record, and its work was not recorded yet. */
function isTurnOpen(events) {
  const since = events.findLastIndex(({ type }) => type === 'loop.committed')
  return events.slice(since + 1).some(({ type, data }) => type === 'session.started' && isWriter(data))
}

/** The commit itself and all its ancestors in the graph. */
function ancestors(graph, sha) {
  const found = new Set(graph.has(sha) ? [sha] : [])
  for (const each of found) {
    for (const parent of graph.get(each) ?? []) if (graph.has(parent)) found.add(parent)
  }
  return found
}

function reaches(graph, sha, target) {
  if (sha === target) return true
  return [...ancestors(graph, sha)].some((each) => each === target || graph.get(each)?.includes(target))
}
