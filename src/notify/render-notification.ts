/** Turns events into notifications. Pure, and the one place that makes their text safe to print. */

import type { EventType, StoredEvent } from '../core/event.ts'
import { withRest } from '../core/listed.ts'
import type { TaskSummary } from '../core/summary.ts'
import { oneLine } from '../lib/text/printable.ts'
import { personNeeded } from '../view/person-needed.ts'
import type { Notification } from './notifier.ts'

/** These mean that a person is needed or that the run is over. Success is reported once, at the end of the run. */
export const toldTypes = [
  'loop.blocked',
  'loop.failed',
  'loop.awaiting_review',
  'run.ended',
] as const satisfies EventType[]

type ToldType = (typeof toldTypes)[number]
export type ToldEvent = StoredEvent & { type: ToldType }

export function isTold(event: StoredEvent): event is ToldEvent {
  return toldTypes.some((type) => type === event.type)
}

/** The tasks of an event, so that the caller can load them. */
export function tasksOf(event: ToldEvent): number[] {
  return event.type === 'run.ended' ? event.data.worked : [Number(event.stream.slice('task/'.length))]
}

/** Null for a run that did nothing, a run that a person interrupted, and a task that another task holds up. */
export function renderNotification(
  event: ToldEvent,
  tasks: TaskSummary[],
  repository: string,
): Notification | null {
  const name = oneLine(repository, 60)
  const common = { id: `${name}-${event.seq}`, event: event.type, at: event.at, repository: name }
  if (event.type === 'run.ended') {
    if (event.data.outcome === 'interrupted' || tasks.length === 0) return null
    const run = event.stream.slice('run/'.length)
    const title = `${name}: run ${run} ended: ${tally(tasks)}`
    return { ...common, task: null, reason: null, title, message: list(tasks), next: ['umpire status'] }
  }
  const [task] = tasks
  // The person was already notified about the task that holds this one up.
  if (!task || (event.type === 'loop.blocked' && event.data.by)) return null
  // The task may have continued since then. The notification reports what the event says.
  const { recovery } = event.data
  const stopped =
    event.type === 'loop.awaiting_review'
      ? { status: 'awaiting_review' as const, reason: null, detail: null }
      : {
          status: event.type === 'loop.failed' ? ('failed' as const) : ('blocked' as const),
          reason: event.data.reason,
          detail: event.data.detail,
        }
  const needed = personNeeded({ ...task, ...stopped, recovery })
  if (!needed) return null
  const kept = needed.kept ? [`Kept: ${needed.kept}.`] : []
  return {
    ...common,
    task: task.id,
    reason: stopped.reason,
    title: oneLine(`${name}: task ${task.id} ${words[event.type]}: ${oneLine(task.title, 80)}`, 200),
    message: [oneLine(needed.happened, 300), ...kept].join('\n'),
    next: needed.next,
  }
}

const words: Record<Exclude<ToldType, 'run.ended'>, string> = {
  'loop.blocked': 'needs you',
  'loop.failed': 'failed',
  'loop.awaiting_review': 'waits for a review',
}

/** "3 approved, 1 needs you, 1 failed". */
function tally(tasks: TaskSummary[]): string {
  const count = (test: (task: TaskSummary) => boolean) => tasks.filter(test).length
  const approved = count(isApproved)
  const unreviewed = count((task) => task.status === 'completed' && !isApproved(task))
  const waiting = count(({ status }) => status === 'blocked' || status === 'awaiting_review')
  const failed = count(({ status }) => status === 'failed')
  const rest = tasks.length - approved - unreviewed - waiting - failed
  const parts: [number, string][] = [
    [approved, 'approved'],
    [unreviewed, 'completed without a review'],
    [waiting, waiting === 1 ? 'needs you' : 'need you'],
    [failed, 'failed'],
    [rest, 'not finished'],
  ]
  return parts
    .filter(([number]) => number > 0)
    .map(([number, what]) => `${number} ${what}`)
    .join(', ')
}

const isApproved = ({ status, verdict }: TaskSummary) => status === 'completed' && verdict === 'APPROVED'

const mostListed = 10

/** A line for each task. Tasks that need a person come first. */
function list(tasks: TaskSummary[]): string {
  const urgent = (task: TaskSummary) => (task.status === 'completed' ? 1 : 0)
  const lines = tasks
    .toSorted((one, other) => urgent(one) - urgent(other) || one.id - other.id)
    .map(({ id, title, status, verdict, reason }) => {
      const how = verdict ?? reason ?? ''
      return `${id}. ${oneLine(title, 80)}: ${status}${how && ` (${how})`}`
    })
  return withRest(lines, mostListed).join('\n')
}

/** Combines several notifications from quiet hours into one. */
export function renderDigest(notifications: [Notification, ...Notification[]]): Notification {
  const [first] = notifications
  const last = notifications.at(-1) ?? first
  const count = notifications.length
  const lines = notifications.map(({ title }) => title)
  return {
    id: `${first.id}+${count - 1}`,
    event: 'digest',
    at: last.at,
    repository: first.repository,
    task: null,
    reason: null,
    title: `${first.repository}: ${count} notifications from the quiet hours`,
    message: withRest(lines, mostListed).join('\n'),
    next: ['umpire status'],
  }
}
