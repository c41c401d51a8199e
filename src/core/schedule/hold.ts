/** The events that hold a task back or free it, decided on its current state. */

import type { NewEvent } from '../event.ts'
import { enumerated } from '../listed.ts'
import type { Loop } from '../loop.ts'
import { blockedEvent } from '../step.ts'
import type { Hold, TaskStanding } from './task-standing.ts'

/** Null if a worker works on the task by now, if a person asked for its next step, or if it is not in the queue at all. */
export function heldEvent(loop: Loop, { by, detail, recovery }: Hold): NewEvent | null {
  const waits =
    loop.standing.heldBy !== null || (loop.standing.status === 'pending' && !(loop.asked && loop.work.place))
  const event = blockedEvent(loop, 'dependency', detail)
  if (!waits || loop.standing.deleted || event.type !== 'loop.blocked') return null
  return { ...event, data: { ...event.data, recovery, by } }
}

export function freedEvent({ standing: { heldBy } }: Loop): NewEvent | null {
  if (!heldBy) return null
  const holders = heldBy.length === 1 ? `task ${heldBy[0]}` : `tasks ${enumerated(heldBy, 5)}`
  return { type: 'loop.freed', data: { why: `no longer held by ${holders}` } }
}

/** The other tasks' work that would have landed with this task is approved by now, or has landed itself. */
export function freedToLand({ standing: { status, reason } }: Loop): NewEvent | null {
  if (status !== 'blocked' || reason !== 'dependency') return null
  return { type: 'loop.freed', data: { why: 'the work it is built on may land now' } }
}

interface Known {
  byId: Map<number, TaskStanding>
  /** The tasks that wait for each other, each with the path back to itself. */
  deadlocks: Map<number, number[]>
}

const mostNamed = 5

/** What a person is told about a task that others hold back: which tasks these are, and what to type. */
export function describeHold(task: TaskStanding, by: number[], { byId, deadlocks }: Known): Hold {
  const told = (id: number) => {
    const deadlock = deadlocks.get(id)
    return deadlock
      ? { words: describeDeadlock(deadlock, byId), commands: waysOut(deadlock, byId) }
      : { words: obstacle(id, byId.get(id)), commands: remedies(id, byId.get(id), task) }
  }
  // All tasks of a deadlock get the same words. If this task is in a deadlock itself, only that deadlock is described.
  const named = (deadlocks.has(task.id) ? [task.id] : by.slice(0, mostNamed)).map(told)
  const rest = deadlocks.has(task.id) ? 0 : by.length - named.length
  const words = [
    ...new Set(named.map((each) => each.words)),
    ...(rest > 0 ? [`The same is true for ${rest} more.`] : []),
  ]
  const recovery = [...new Set(named.flatMap((each) => each.commands))]
  return { task: task.id, by, detail: words.join(' '), recovery }
}

/** Each task of a deadlock with the one that it waits for. */
function stepsOf(deadlock: number[], byId: Known['byId']): { task: TaskStanding; next: TaskStanding }[] {
  return deadlock.flatMap((id, place) => {
    const [task, next] = [byId.get(id), byId.get(deadlock[(place + 1) % deadlock.length] ?? id)]
    return task && next ? [{ task, next }] : []
  })
}

/** `Tasks wait for each other: 1 → 2 → 1.` Steps that follow from groups were not written down, so the first is explained. */
function describeDeadlock(deadlock: number[], byId: Known['byId']): string {
  const round = `Tasks wait for each other: ${[...deadlock, ...deadlock.slice(0, 1)].join(' → ')}`
  const byGroup = stepsOf(deadlock, byId).find(({ task, next }) => !isNamed(task, next))
  if (!byGroup) return `${round}.`
  const { task, next } = byGroup
  return `${round}; ${task.id} is in group ${task.group} and comes after ${next.id} of group ${next.group}.`
}

/** The commands for a deadlock. Any one of them is enough. */
function waysOut(deadlock: number[], byId: Known['byId']): string[] {
  return stepsOf(deadlock, byId).map(({ task, next }) => {
    const { id, dependsOn, of, group } = task
    if (of === next.id && !dependsOn.includes(next.id)) return `umpire cancel ${id}`
    const after = dependsOn.includes(next.id) ? ` --after ${without(next.id, dependsOn)}` : ''
    const isBelow = group !== null && next.group !== null && next.group < group
    return `umpire edit ${id}${after}${isBelow ? ' --group none' : ''}`
  })
}

function isNamed({ dependsOn, of }: TaskStanding, { id }: TaskStanding): boolean {
  return dependsOn.includes(id) || of === id
}

function obstacle(id: number, task: TaskStanding | undefined): string {
  if (!task) return `Task ${id} was deleted.`
  const { status, reason } = task
  switch (status) {
    case 'failed':
      return `Task ${id} failed: ${reason}.`
    case 'blocked':
      return `Task ${id} is blocked: ${reason}.`
    case 'awaiting_review':
      return `Task ${id} waits for a review.`
    default:
      return `Task ${id} is ${status}.`
  }
}

function remedies(id: number, cause: TaskStanding | undefined, held: TaskStanding): string[] {
  const apart = held.dependsOn.includes(id)
    ? [`umpire edit ${held.id} --after ${without(id, held.dependsOn)}`]
    : []
  if (!cause) return apart
  if (cause.status === 'cancelled') return [`umpire retry ${id}`, ...apart]
  if (cause.status === 'awaiting_review') return [`umpire show ${id}`, `umpire review ${id}`]
  // A retry alone would meet the same budget.
  if (cause.moneyBy.length > 0) return cause.moneyBy
  return [`umpire show ${id}`, `umpire retry ${id}`]
}

/** The remaining dependencies in the form that `--after` takes. */
function without(id: number, dependsOn: number[]): string {
  return dependsOn.filter((other) => other !== id).join(',') || 'none'
}
