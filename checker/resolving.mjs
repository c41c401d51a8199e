/**
 * The merge of another branch into a task's own. It begins only after a landing met a conflict or a failing gate, or if
 * the parts that the task builds on conflict. Only a resolver works meanwhile, and only a limited number of times. The
 * commit descends from both sides.
 */
import { openMerges } from './merges.mjs'
import { short, violation } from './violation.mjs'

/** After this many resolvers left a merge unresolved, a person is asked. */
const mostUnresolved = 2
/** After this many conflicts in a row, a person is asked. */
const mostConflicts = 10
/** How often work that fails when merged with others is sent back. */
const mostReturns = 2

/** With these moves a person continues the task, and earlier attempts no longer count. */
const anew = new Set(['retry', 'review', 'improve', 'merge'])

export function* checkResolving(events) {
  const merges = openMerges()
  // `begin`: not tried yet. `resolve`: it conflicts. `commit`: the merge can be committed.
  let stage = 'begin'
  let unresolved = 0
  let gaveUp = false
  let conflicts = 0
  let returns = 0
  let landing = null
  let outcome = null
  let resolver = null
  // A cancelled task may have lost its worktree, and with it the merge.
  let cancelled = false
  for (const event of events) {
    const { type, data } = event
    const current = merges.current()
    const doubts = []
    const steps = {
      'loop.landing'() {
        landing = data.base
      },
      'loop.integrated'() {
        outcome = data.outcome
        conflicts = outcome.kind === 'conflict' ? conflicts + 1 : 0
        if (outcome.kind === 'landed') returns = 0
      },
      'loop.resolving'() {
        if (
          outcome?.kind !== data.why ||
          outcome.commit !== data.other.commit ||
          data.other.branch !== landing
        )
          doubts.push(
            `merges ${data.other.branch} in because of a ${data.why}, which no landing there had met`,
          )
        if (data.why === 'gate') returns += 1
        if (conflicts >= mostConflicts) doubts.push(`merges in after ${conflicts} conflicts in a row`)
        if (returns > mostReturns)
          doubts.push(`is sent back for the ${returns}th time because it fails merged`)
        outcome = null
        begin()
      },
      'loop.started'() {
        begin()
      },
      'loop.merging'() {
        if (current?.other.commit !== data.other)
          doubts.push(
            `merges ${short(data.other)}, and ${short(current?.other.commit)} is what is to be merged`,
          )
        stage = data.outcome === 'conflict' ? 'resolve' : 'commit'
        if (data.outcome === 'contained') begin()
      },
      'session.started'() {
        if (data.role === 'resolver') {
          resolver = data.session
          if (current === null)
            doubts.push(`session ${data.session} is a resolver's, and there is nothing to merge`)
          else if (stage !== 'resolve')
            doubts.push(`session ${data.session} is a resolver's, and nothing conflicts`)
          else if (unresolved >= mostUnresolved || gaveUp)
            doubts.push(
              `session ${data.session} is a resolver's, after ${unresolved} that left it unresolved`,
            )
        } else if (current !== null) {
          doubts.push(`session ${data.session} is a ${data.role}'s, and a merge is under way`)
        }
      },
      'session.ended'() {
        if (data.session !== resolver || current === null) return
        if (data.outcome.kind === 'done') {
          gaveUp = data.gaveUp !== undefined
          stage = gaveUp ? 'resolve' : 'commit'
        } else if (data.outcome.class === 'timeout') unresolved += 1
      },
      'loop.unresolved'() {
        if (current === null || stage !== 'commit')
          doubts.push('is unresolved, and nobody had tried to commit it')
        stage = 'resolve'
        unresolved += 1
      },
      'loop.abandoned'() {
        if (current === null) doubts.push('is given up, and there is nothing to merge')
        else if (unresolved < mostUnresolved && !gaveUp)
          doubts.push(`is given up after ${unresolved} that left it unresolved`)
        begin()
      },
      'loop.committed'() {
        if (current !== null && stage !== 'commit')
          doubts.push(`the merge of ${current.other.branch} is committed, and nobody had resolved it`)
        if (current !== null) begin()
      },
      'person.decided'() {
        if (!anew.has(data.move)) return
        unresolved = 0
        conflicts = 0
        returns = 0
        gaveUp = false
        // Umpire takes the merge as the person left it.
        if (data.move === 'review') stage = 'commit'
        else if (cancelled) stage = 'begin'
      },
    }
    steps[type]?.()
    for (const text of doubts) yield violation(event, text)
    if (type === 'person.decided') cancelled = data.move === 'cancel'
    merges.apply(event)
  }

  function begin() {
    stage = 'begin'
    unresolved = 0
    gaveUp = false
  }
}

/** Asks git: the commit contains both sides, and a merge at a task's start keeps all files that did not conflict. */
export function* checkMerged(events, git) {
  const merges = openMerges()
  let begun = null
  for (const event of events) {
    const current = event.type === 'loop.committed' ? merges.current() : null
    merges.apply(event)
    if (event.type === 'loop.merging') begun = event.data
    // Umpire takes the merge as the person left it.
    if (event.type === 'person.decided' && event.data.move === 'review') begun = null
    if (current === null) continue
    const { sha } = event.data
    const [lost] = git.commit(sha) ? git.missing([current.other.commit], [sha]) : []
    if (lost)
      yield violation(
        event,
        `the merge ${short(sha)} does not hold ${short(lost)} of ${current.other.branch}`,
      )
    if (current.why !== 'start' || begun?.left === undefined || !git.commit(sha)) continue
    const [gone] = git.lost(begun.left, sha).filter((path) => !begun.files.some((file) => isOf(file, path)))
    if (gone !== undefined)
      yield violation(event, `the merge ${short(sha)} has lost ${gone}, in which nothing conflicted`)
  }
}

/** If a file and a folder have the same name, git renames the file with a tilde and puts it next to the folder. */
function isOf(file, path) {
  const names = [file, file.replace(/~[^/]*$/, '')]
  return names.some((name) => path === name || path.startsWith(`${name}/`))
}
