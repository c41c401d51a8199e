/**
 * The order of tasks: a task begins only after everything it depends on, and every task of lower groups, is completed.
 * A held task names the tasks that need a person's attention, and is freed once they don't. A task begins with the work
 * of all tasks that it waited for.
 */
import { workIn } from './approvals.mjs'
import { openFold } from './fold.mjs'
import { short, violation } from './violation.mjs'

/** The scheduler looked at the other tasks a moment before it held or freed one. */
const aMoment = 5_000
const longAgo = '1970-01-01T00:00:00.000Z'

/** The steps that a person can ask for by hand. */
const steps = new Set(['review', 'improve', 'merge'])

/** The events that can make tasks wait for each other, or end such a wait. */
const tiesOrUnties = new Set(['task.changed', 'task.deleted', 'person.decided', 'loop.released'])

const rests = new Set(['blocked', 'failed', 'awaiting_review', 'cancelled'])

export function* checkSchedule(events) {
  const book = openBook()
  for (const event of events) {
    const { type, data, stream } = event
    const task = book.of(stream)
    if (type === 'loop.claimed' && task?.fold.task.status === 'pending')
      task.waitedFor = book.unfinished(task)
    if (type === 'loop.started' && task) {
      const now = new Set(book.unfinished(task))
      for (const id of task.waitedFor.filter((id) => now.has(id)))
        yield violation(event, `begins before task ${id}, for which it waits, is completed`)
    }
    if (type === 'task.changed' && task?.fold.task.branch) yield* doubtMore(event, task)
    if (type === 'loop.blocked' && data.reason === 'dependency' && task) yield* doubtHold(event, task, book)
    if (type === 'loop.freed' && task) yield* doubtFreed(event, task, book)
    book.apply(event)
  }
}

/** A task that has begun can't get more dependencies: its start, and thus what it builds on, is fixed. */
function* doubtMore(event, { dependsOn }) {
  const { dependsOn: wanted = dependsOn } = event.data.changes
  for (const id of wanted.filter((id) => !dependsOn.includes(id)))
    yield violation(event, `comes to depend on task ${id} after it has begun`)
}

function* doubtHold(event, task, book) {
  const { by } = event.data
  if (by === undefined) {
    // The landing would carry other tasks' unapproved work into the base.
    if (task.carries.length === 0 && task.of === null)
      yield violation(event, 'held up, and no other task is named')
    return
  }
  if (by.length === 0) yield violation(event, 'held up by nobody')
  const behind = book.behind(task, 'all')
  for (const id of by) {
    if (!behind.has(id)) yield violation(event, `held up by task ${id}, for which it does not wait`)
    else if (!book.isUnsolved(id, event.at) && !book.isTied(id, event.at))
      yield violation(event, `held up by task ${id}, at which nobody has to look`)
  }
}

function* doubtFreed(event, task, book) {
  const { status, reason, heldBy } = task.fold.task
  const isHeld = reason === 'dependency' && (heldBy.length > 0 || task.carries.length > 0)
  if (status !== 'blocked' || !(isHeld || reason === 'budget')) {
    yield violation(event, `freed, and was ${status}${reason === null ? '' : `: ${reason}`}`)
    return
  }
  const behind = book.behind(task, 'waiting')
  for (const id of heldBy)
    if (behind.has(id) && book.isUnsolved(id, null, event.at))
      yield violation(event, `freed, and task ${id} holds it up still`)
  if (isHeld && book.isTied(task.id, null, event.at))
    yield violation(event, 'freed, and waits for itself, through others')
}

/** The state of all tasks, event by event. */
function openBook() {
  const tasks = new Map()

  function of(stream) {
    return tasks.get(Number(stream.slice('task/'.length)))
  }

  function lower({ group }) {
    if (group === null) return []
    return [...tasks.values()].filter((other) => other.group !== null && other.group < group)
  }

  const isDone = (id) => tasks.get(id)?.fold.task.status === 'completed'

  function awaited(task) {
    const before = lower(task).filter(({ fold }) => !['completed', 'cancelled'].includes(fold.task.status))
    const other = tasks.get(task.of)?.fold.task
    const isBusy = other && (['pending', 'in_progress'].includes(other.status) || other.heldBy.length > 0)
    return [
      ...task.dependsOn.filter((id) => !isDone(id)),
      ...(isBusy ? [task.of] : []),
      ...before.map(({ id }) => id),
    ]
  }

  /** If a task waits for itself through other waiting tasks: all tasks that it waits for. Otherwise null. */
  function circleOf(task) {
    const edge = new Set([task])
    let isClosed = false
    for (const each of edge) {
      if (!waits(each)) continue
      for (const id of awaited(each)) {
        if (id === each.of && each.fold.task.branch !== null && !each.dependsOn.includes(id)) continue
        if (id === task.id) isClosed = true
        if (tasks.has(id)) edge.add(tasks.get(id))
      }
    }
    return isClosed ? edge : null
  }

  function mark(task, when, at) {
    for (const each of circleOf(task) ?? []) if (circleOf(each)) each[when] = at
  }

  return {
    of: (stream) => (stream.startsWith('task/') ? of(stream) : undefined),

    /** The unfinished tasks that it waits for directly. */
    unfinished: awaited,

    /** The commits of all tasks that it builds on. A review task has no work of its own. */
    worksFor(task) {
      const done = lower(task).filter(({ id }) => isDone(id))
      const others = [...task.dependsOn.map((id) => tasks.get(id)), ...done]
      return others.flatMap((other) =>
        !other?.work || other.work.data.empty || other.kind === 'review' ? [] : [other.work.data.sha],
      )
    },

    /** What it waits for, directly or through others: through all tasks, or only through those that wait themselves. */
    behind(task, over) {
      const found = new Set()
      const edge = new Set([task])
      let highest = Number.NEGATIVE_INFINITY
      const goOn = (id) => {
        const other = tasks.get(id)
        if (other && (over === 'all' || waits(other))) edge.add(other)
      }
      for (const each of edge) {
        // The highest group covers all lower groups, so their tasks are collected once. Cancelled ones don't count.
        const members = each.group !== null && each.group > highest ? lower(each) : []
        highest = Math.max(highest, each.group ?? highest)
        const inGroups = members.filter(({ fold }) => over === 'all' || fold.task.status !== 'cancelled')
        for (const id of [...each.dependsOn, ...inGroups.map((other) => other.id)]) {
          found.add(id)
          goOn(id)
        }
        // A task for another task waits for it only while that one runs or waits itself.
        if (each.of !== null && over === 'all') found.add(each.of)
        if (each.of !== null && each.fold.task.branch === null) goOn(each.of)
      }
      return found
    },

    /** Whether it needs a person now. With `until`: or a moment before it. With `since`: longer than a moment then. */
    isUnsolved(id, until, since = null) {
      const task = tasks.get(id)
      if (!task) return true
      if (task.unsolved) return since === null || isBefore(task.since, since)
      return until !== null && !isBefore(task.since, until)
    },

    /** Whether it waits for itself through others. `until` and `since` mean the same as above. */
    isTied(id, until, since = null) {
      const task = tasks.get(id)
      if (!task) return false
      if (circleOf(task)) return since === null || isBefore(task.tiedAt, since)
      return until !== null && !isBefore(task.untiedAt, until)
    },

    apply(event) {
      if (!event.stream.startsWith('task/')) return
      if (event.type === 'task.added') tasks.set(Number(event.stream.slice('task/'.length)), newTask(event))
      const task = of(event.stream)
      if (!task) return
      if (tiesOrUnties.has(event.type)) mark(task, 'untiedAt', event.at)
      if (event.type === 'task.changed') {
        const { type = task.kind, ...changes } = event.data.changes
        Object.assign(task, wishes({ ...task, ...changes, kind: type }))
      }
      if (event.type === 'loop.landing') task.carries = []
      if (event.type === 'loop.integrated') task.carries = event.data.outcome.works ?? []
      task.work = workIn(event, task.work)
      task.fold.apply(event)
      if (tiesOrUnties.has(event.type)) mark(task, 'tiedAt', event.at)
      const { status, heldBy, deleted } = task.fold.task
      // No other task holds up a step that a person asked for.
      if (event.type === 'person.decided' && steps.has(event.data.move)) task.byHand = true
      else if (status !== 'pending' && status !== 'in_progress') task.byHand = false
      const unsolved = deleted || (rests.has(status) && heldBy.length === 0)
      if (unsolved !== task.unsolved) Object.assign(task, { unsolved, since: event.at })
    },
  }
}

function newTask({ stream, data }) {
  const fold = openFold(stream)
  const standing = {
    work: null,
    waitedFor: [],
    byHand: false,
    unsolved: false,
    since: longAgo,
    tiedAt: longAgo,
    untiedAt: longAgo,
    carries: [],
  }
  return { id: fold.task.id, fold, ...wishes(data.task), ...standing }
}

/** Whether the task has to wait for others. */
function waits({ fold: { task }, byHand }) {
  return task.heldBy.length > 0 || (task.status === 'pending' && !byHand)
}

function wishes({ type, kind = type, dependsOn = [], of = null, group = null }) {
  return { kind, dependsOn, of, group }
}

/** Whether one time is before the other by more than a moment. */
function isBefore(one, other) {
  return Date.parse(one) + aMoment < Date.parse(other)
}

/** Asks git: a task's first commit and the branches still to be merged contain all the work that it builds on. */
export function* checkBeginnings(events, git) {
  const book = openBook()
  for (const event of events) {
    const task = event.type === 'loop.started' ? book.of(event.stream) : undefined
    // A task for another task begins with that task's work and nothing else.
    if (task && !event.data.inherited) yield* doubtBeginning(event, book.worksFor(task), git)
    book.apply(event)
  }
}

function* doubtBeginning(event, works, git) {
  const { place, unmerged = [] } = event.data
  const begins = [place.start ?? place.baseCommit, ...unmerged.map(({ commit }) => commit)]
  for (const sha of git.missing(works, begins)) {
    const where = `begins at ${short(begins[0])}, which does not hold ${short(sha)}`
    yield violation(event, `${where}, on which it builds`)
  }
}
