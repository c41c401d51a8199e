/**
 * A landing carries no unapproved work of other tasks into a base. Work of other tasks that comes with it was approved
 * in exactly that state, or was already in the base. A merge that a person makes with their own git is not in the
 * journal. It shows only if a merge commit records the state of the base before.
 */
import { workIn } from './approvals.mjs'
import { short, violation } from './violation.mjs'

/** A person may have decided while Umpire moved the base. */
const aMoment = 5_000

export function* checkCarried(events, git) {
  const tasks = new Map()
  const landed = new Map()
  for (const event of events) {
    const { type, data, stream, at } = event
    if (!stream.startsWith('task/')) continue
    const id = Number(stream.slice('task/'.length))
    if (type === 'task.added') tasks.set(id, newTask(id, data.task))
    const task = tasks.get(id)
    if (!task) continue
    if (type === 'loop.landed' && data.base === task.place?.base) {
      const before = landed.get(data.base) ?? []
      if (data.tree !== null) yield* doubtLanded(event, task, [...tasks.values()], before, git)
      landed.set(data.base, [...before, data.commit])
    }
    apply(task, event, Date.parse(at))
  }
}

function newTask(id, { of = null }) {
  return { id, of, place: null, work: null, commits: [], approval: null, until: Number.NEGATIVE_INFINITY }
}

function apply(task, event, at) {
  const { type, data } = event
  const before = task.work?.data.tree
  if (type === 'loop.started') task.place = data.place
  if (type === 'loop.committed') task.commits.push(data.sha)
  task.work = workIn(event, task.work)
  const changed = task.work?.data.tree !== before
  if (type === 'loop.approved') task.approval = { tree: data.tree }
  else if (task.approval && (changed || isUndone(event))) Object.assign(task, { approval: null, until: at })
}

function isUndone({ type, data }) {
  if (['loop.feedback', 'review.completed', 'loop.completed', 'task.deleted'].includes(type)) return true
  if (type !== 'person.decided') return false
  return data.move === 'cancel' || (data.move === 'verdict' && data.verdict !== 'APPROVED')
}

function* doubtLanded(event, task, all, before, git) {
  const { place, work } = task
  if (!work || !git.commit(work.data.sha) || !git.commit(place.baseCommit)) return
  const brought = git.graph(place.baseCommit, work.data.sha)
  const others = all.filter((other) => other.id !== task.id && other.commits.some((sha) => brought.has(sha)))
  if (others.length === 0) return
  const carried = new Set(others.flatMap(({ commits }) => commits.filter((sha) => brought.has(sha))))
  const missing = new Set(git.missing([...carried], [...before, ...baseBefore(event, task, git)]))
  const doubtful = others.filter(({ commits }) => commits.some((sha) => missing.has(sha)))
  // The review of an improvement also judged the work that it improves.
  const judged = new Set([task.of, ...doubtful.map(({ of }) => of)])
  for (const other of doubtful) {
    const sha = other.commits.findLast((commit) => missing.has(commit))
    if (judged.has(other.id) || isApproved(other, sha, Date.parse(event.at))) continue
    yield violation(event, `brought along ${short(sha)} of task ${other.id}, which was not approved as it is`)
  }
}

function isApproved({ approval, work, until }, sha, at) {
  return until + aMoment > at || (work?.data.sha === sha && approval?.tree === work.data.tree)
}

/** The base just before the merge commit that merged the work, if there is such a commit. */
function baseBefore({ data }, { place, work }, git) {
  if (!git.commit(data.commit)) return []
  const graph = git.graph(place.baseCommit, data.commit)
  for (let sha = data.commit; graph.has(sha); sha = graph.get(sha)[0]) {
    const [first, ...merged] = graph.get(sha)
    if (merged.includes(work.data.sha)) return [first]
  }
  return []
}
