/** Says where a loop shall live, and what it begins with: nothing, or the work of the task that it is for. */
import type { Inherited, NewEvent } from '../core/event.ts'
import type { Feedback } from '../core/feedback.ts'
import { openForDeveloper } from '../core/ledger.ts'
import type { Loop } from '../core/loop.ts'
import { blockedEvent } from '../core/step.ts'
import type { Ports } from './ports.ts'

export async function openWork(loop: Loop, ports: Ports): Promise<NewEvent[]> {
  const planned = await ports.vcs.plan({ id: loop.id, title: loop.task.title })
  if (loop.task.of === null) return [{ type: 'loop.started', data: { place: planned } }]
  const other = await ports.archive.loop(loop.task.of)
  if (!other?.place || !other.head || other.head.empty)
    return [blockedEvent(loop, 'dependency', `Task ${loop.task.of}, which this one is for, has no work.`)]
  const { sha, tree } = other.head
  const { base, baseCommit } = other.place
  // A branch of its own, so that the other task can be worked on meanwhile; the whole work is against the other's base.
  const place = { ...planned, base, baseCommit, start: sha }
  const inherited: Inherited = { task: other.id, sha, tree, feedback: lastWords(other) }
  return [{ type: 'loop.started', data: { place, inherited } }]
}

function lastWords({ review, ledger }: Loop): Feedback | null {
  const issues = openForDeveloper(ledger)
  if (!review || (review.verdict === 'APPROVED' && issues.length === 0)) return null
  return { from: 'review', cycle: review.cycle, summary: review.summary, issues }
}
