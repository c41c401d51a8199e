/**
 * Work lands on its base only if it was approved, or completed and then merged by a person. Exactly the approved work
 * is merged, its gates passed on the merged tree, it is merged once, and no event follows the landing.
 */
import { workIn } from './approvals.mjs'
import { openMerges } from './merges.mjs'
import { short, violation } from './violation.mjs'

export function* checkLandings(events) {
  let place = null
  let policy = null
  let work = null
  // The tree that was approved or completed, or null.
  let done = null
  // Whether the work is to be merged, and into which branch.
  let wanted = false
  let into = null
  // A person merges work from its group's branch into the base. It ends with the next other step on the work.
  let fromGroup = false
  let stage = null
  let landed = null
  let gates = new Map()
  const merges = openMerges()
  for (const event of events) {
    const { type, data } = event
    // A person may merge work from its group's branch into its base.
    const goesOn = type === 'person.decided' && data.move === 'merge' && landed?.data.base !== place?.base
    if (endsMerge(event)) fromGroup = false
    if (landed !== null && goesOn) {
      fromGroup = true
      landed = null
    }
    if (landed !== null && type !== 'task.deleted')
      yield violation(event, `${type} comes after the work has landed`)
    const before = work
    work = workIn(event, work)
    if (type === 'loop.started') place = data.place
    if (type === 'loop.started' || type === 'loop.approved') into = place?.target ?? place?.base
    if (type === 'loop.claimed') policy = data.policy
    if (type === 'loop.approved') {
      done = { tree: data.tree }
      wanted = data.lands === true
    }
    if (type === 'loop.completed') {
      done = { tree: data.tree }
      wanted = data.lands === true
    }
    // The result of a merge has to be judged anew.
    const isMerge = type === 'loop.committed' && merges.current() !== null
    merges.apply(event)
    if (isUndone(event) || isMerge || work?.data.tree !== before?.data.tree) done = null
    if (type === 'person.decided' && data.move === 'merge') {
      if (done === null) yield violation(event, 'a person merges what is neither approved nor completed')
      wanted = true
      // The work goes to the branch of its group first.
      into = fromGroup ? place?.base : (place?.target ?? place?.base)
    }
    if (type === 'gate.completed' && stage?.type === 'loop.landing')
      gates.set(`${data.name} ${data.command}`, data)

    if (!isOfLanding(type)) {
      if (type === 'loop.claimed' && stage?.type === 'loop.landing') gates = new Map()
      continue
    }
    if (!wanted) yield violation(event, `${type}, although neither the settings nor a person wanted it`)
    if (done === null) yield violation(event, `${type} of work that is neither approved nor completed`)
    else if (done.tree !== work?.data.tree)
      yield violation(
        event,
        `${type} of tree ${short(work?.data.tree)}, but ${short(done.tree)} was approved`,
      )
    if (type !== 'loop.integrated' && data.base !== into)
      yield violation(event, `${type} of ${data.base}, but the work is for ${into}`)
    if (type === 'loop.landing') gates = new Map()
    if (type === 'loop.integrated') {
      const waited = stage?.data.outcome?.kind === 'waits' && data.outcome.tree === null
      if (stage?.type !== 'loop.landing' && !waited) yield violation(event, 'merged without having begun to')
      if (data.outcome.kind === 'landed') yield* ungated(event, policy, gates)
    }
    if (type === 'loop.landed') {
      yield* unlike(event, stage)
      landed = event
    }
    stage = event
  }
}

function isOfLanding(type) {
  return type === 'loop.landing' || type === 'loop.integrated' || type === 'loop.landed'
}

function endsMerge({ type, data }) {
  if (['loop.approved', 'loop.completed', 'loop.awaiting_review', 'loop.landed'].includes(type)) return true
  if (type === 'loop.blocked')
    return ['rejected', 'needs_discussion', 'changes_requested'].includes(data.reason)
  return type === 'person.decided' && ['review', 'improve', 'cancel'].includes(data.move)
}

/** From here on the work is judged or changed anew. */
function isUndone({ type, data }) {
  if (type === 'loop.feedback' || type === 'review.completed') return true
  return type === 'person.decided' && data.move === 'verdict' && data.verdict !== 'APPROVED'
}

/** Work that was already in the base was merged from outside, so Umpire ran no gate. */
function* ungated(event, policy, gates) {
  const { tree } = event.data.outcome
  if (tree === null) return
  for (const { name, command } of policy?.gates ?? []) {
    const result = gates.get(`${name} ${command}`)
    if (result?.passed !== true || result.tree !== tree)
      yield violation(event, `merged, but the gate ${name} did not pass on the merged tree`)
  }
}

function* unlike(event, stage) {
  const outcome = stage?.type === 'loop.integrated' ? stage.data.outcome : null
  const { commit, tree } = event.data
  if (outcome?.kind !== 'landed' || outcome.commit !== commit || outcome.tree !== tree)
    yield violation(event, `landed as ${short(commit)}, but no merge came to that`)
}

/** Asks git: the commit on the base contains the work once, and has the tree on which the gates ran. */
export function* checkLanded(events, git) {
  let work = null
  let place = null
  for (const event of events) {
    work = workIn(event, work)
    if (event.type === 'loop.started') place = event.data.place
    if (event.type === 'loop.landed') yield* checkOne(event, work, place, git)
  }
}

function* checkOne(landed, work, place, git) {
  const { commit: sha, tree, base } = landed.data
  const commit = git.commit(sha)
  // If the owner has rewritten the base since, the commit may be gone.
  if (commit === null) return
  if (tree !== null && commit.tree !== tree)
    yield violation(
      landed,
      `landed as ${short(sha)}, whose tree is ${short(commit.tree)}, not ${short(tree)}`,
    )
  if (!work || !git.commit(work.data.sha)) return
  if (!git.contains(sha, work.data.sha))
    yield violation(landed, `landed as ${short(sha)}, which does not hold ${short(work.data.sha)}`)
  // A group's branch is Umpire's own, and nothing ever leaves it.
  const head = base === place?.base ? undefined : git.head(base)
  if (head !== undefined && !git.contains(head, sha))
    yield violation(landed, `landed as ${short(sha)}, which is not on ${base}`)
  if (tree === null || !git.commit(place?.baseCommit)) return
  const merges = mergesOn(git.graph(place.baseCommit, sha), sha).filter((parents) =>
    parents.includes(work.data.sha),
  )
  if (merges.length > 1)
    yield violation(landed, `landed as ${short(sha)}, in which it is ${merges.length} times`)
}

/** The merges into the branch itself, newest first. Merges that came with another task's work happened elsewhere. */
function mergesOn(graph, head) {
  const found = []
  for (let sha = head; graph.has(sha); sha = graph.get(sha)[0]) found.push(graph.get(sha).slice(1))
  return found
}
