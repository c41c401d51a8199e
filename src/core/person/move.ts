/** What a person may do to a task, when, and what follows. It is pure, like `decide`: it returns events or a refusal. */
import type { Actor, NewEvent, PersonMove } from '../event.ts'
import { applyChange, type Loop } from '../loop.ts'
import { limitWaitedFor } from '../policy/failure.ts'
import { openBlocking, openForDeveloper, withOpened } from '../review/ledger.ts'
import type { ReportedIssue, Verdict } from '../review/review.ts'
import { decideWaive } from '../review/waive.ts'
import { isOnlyGathered } from '../standing.ts'
import type { BlockReason, HandMove, Task, TaskStatus } from '../task.ts'
import { feedbackByHand } from './feedback-by-hand.ts'
import { recoveryFrom } from './recovery.ts'

export type Move =
  | { kind: 'change'; changes: Partial<Task> }
  | { kind: 'delete' }
  | { kind: 'verdict'; verdict: Verdict; why: string | null }
  | { kind: 'retry'; why: string | null }
  | { kind: 'cancel'; why: string | null }
  | { kind: 'review'; why: string | null }
  /** `text` is a review from the person's own file. It replaces the last review. */
  | { kind: 'improve'; note: string | null; text: string | null }
  /** `checked` is the branch's commit, if branch and worktree were just found to match the journal. */
  | { kind: 'merge'; why: string | null; checked?: string | null }
  /** `issues` are numbers of the ledger. */
  | { kind: 'waive'; issues: number[]; why: string }

export type MoveOutcome =
  | { kind: 'allowed'; events: NewEvent[] }
  | { kind: 'refused'; why: string; fix: string }

export function decideMove(loop: Loop, move: Move, by: Actor): MoveOutcome {
  const refuse = (why: string, fix: string): MoveOutcome => ({
    kind: 'refused',
    why: `Task ${loop.id} ${why}.`,
    fix,
  })
  const allow = (...events: NewEvent[]): MoveOutcome => ({ kind: 'allowed', events })
  const is = (...statuses: TaskStatus[]) => statuses.includes(loop.standing.status)
  const decided = (made: PersonMove, why: string | null, verdict: Verdict | null = null): NewEvent => ({
    type: 'person.decided',
    data: { move: made, by, why, verdict },
  })
  const merged = `Task ${loop.id} is merged into ${loop.landing.landed?.base}.`

  switch (move.kind) {
    case 'change':
      if (is('cancelled')) return refuse('is cancelled', `umpire retry ${loop.id} reopens it.`)
      if (is('completed') && loop.landing.landed) return { kind: 'refused', why: merged, fix: fileAnother }
      if (is('completed')) return refuse('is completed', fileAnother)
      if (loop.work.place && addedTo(loop.task, move.changes).length > 0) {
        const more = addedTo(loop.task, move.changes).join(', ')
        return refuse(
          `has started, so it can't build on the work of ${more} any more`,
          buildAnew(loop.id, more),
        )
      }
      if (loop.work.place && joinsGroup(loop.task, move.changes)) {
        const group = move.changes.group
        return refuse(
          `has started, so it can't join group ${group} any more`,
          `Add a new task: umpire add "…" --group ${group}.`,
        )
      }
      return allow({ type: 'task.changed', data: { changes: move.changes, by } })
    case 'delete':
      if (is('in_progress')) return refuse('is being worked on', `Stop it first: umpire cancel ${loop.id}.`)
      return allow({ type: 'task.deleted', data: { by } })
    case 'verdict':
      if (is('in_progress')) return refuse('is being worked on', 'Set the verdict when it has stopped.')
      if (is('cancelled')) return refuse('is cancelled', `umpire retry ${loop.id} reopens it.`)
      if (loop.landing.landed) return { kind: 'refused', why: merged, fix: fileAnother }
      if (move.verdict === 'APPROVED' && loop.landing.resolving)
        return refuse(
          'has an unfinished merge',
          `To continue it, run umpire retry ${loop.id}, then umpire work.`,
        )
      if (move.verdict === 'APPROVED' && loop.work.uncommitted) {
        return refuse(
          'has work that is not committed yet',
          `To commit it, run umpire retry ${loop.id}, then umpire work.`,
        )
      }
      return allow(
        decided('verdict', move.why, move.verdict),
        ...wordsFor(loop, move),
        verdictEvent(loop, move.verdict, by),
      )
    case 'retry':
      if (limitWaitedFor(loop) || (is('pending') && loop.turn.tries.last))
        return allow(decided('retry', move.why))
      if (is('pending', 'in_progress'))
        return refuse(`is already ${loop.standing.status}`, 'umpire work continues it.')
      if (is('completed')) return refuse('is completed', fileAnother)
      if (loop.standing.heldBy)
        return {
          kind: 'refused',
          why: `Task ${loop.id} can't start. ${loop.standing.detail}`,
          fix: nextOf(loop),
        }
      return allow(decided('retry', move.why))
    case 'cancel':
      if (is('completed', 'cancelled'))
        return refuse(`is already ${loop.standing.status}`, 'There is nothing to cancel.')
      return allow(decided('cancel', move.why))
    case 'waive':
      return decideWaive(loop, move, by)
    case 'review':
    case 'improve':
    case 'merge': {
      const obstacle = handObstacle(loop, move.kind)
      if (obstacle) return { kind: 'refused', ...obstacle }
      if (move.kind !== 'improve') return allow(decided(move.kind, move.why))
      const feedback = feedbackByHand(loop, move.note, move.text)
      if (!feedback) return refuse('has no review to improve from', noReview(loop.id))
      return allow(decided('improve', move.note), {
        type: 'loop.feedback',
        data: { feedback, cycle: loop.review.cycle },
      })
    }
  }
}

/** The dependencies that the changes would add. */
export function addedTo({ dependsOn }: Task, changes: Partial<Task>): number[] {
  return changes.dependsOn?.filter((id) => !dependsOn.includes(id)) ?? []
}

/** Whether the changes would put the task into another group. Leaving a group is always possible. */
export function joinsGroup({ group }: Task, changes: Partial<Task>): boolean {
  return typeof changes.group === 'number' && changes.group !== group
}

function buildAnew(id: number, more: string): string {
  return `Add a new task that comes after both: umpire add "…" --after ${id},${more.replaceAll(' ', '')}.`
}

/** The task starts by itself once the tasks that hold it up are resolved. */
function nextOf({ standing: { recovery } }: Loop): string {
  return `First: ${recovery.join(', or ')}.`
}

const fileAnother = 'Add a new task with umpire add.'

/** Why a person's review, improve or merge is not possible now, or null. */
function handObstacle(loop: Loop, move: HandMove): { why: string; fix: string } | null {
  const {
    id,
    standing: { status },
    work: { head },
  } = loop
  const because = (why: string, fix: string) => ({ why: `Task ${id} ${why}.`, fix })
  if (loop.landing.landed && !(move === 'merge' && isOnlyGathered(loop)))
    return because(`is merged into ${loop.landing.landed.base}`, fileAnother)
  if (status === 'in_progress')
    return because(
      'is being worked on',
      `umpire cancel ${id} stops it. If no worker runs, umpire work ${id} continues it.`,
    )
  if (status === 'cancelled') return because('is cancelled', `umpire retry ${id} reopens it.`)
  if (!head && loop.standing.heldBy)
    return { why: `Task ${id} has no work yet. ${loop.standing.detail}`, fix: nextOf(loop) }
  if (!head && status !== 'pending') return because('has no work yet', `umpire retry ${id} lets it start.`)
  if (!head) return because('has no work yet', `umpire work ${id} starts it.`)
  if (head.empty) return because('has changed nothing yet', `umpire retry ${id} lets it continue.`)
  // A review task reviews the work of another task and never has a developer.
  if (move === 'improve' && loop.task.type === 'review')
    return because('is a review', `To act on it: umpire add "Address the review" -t improve --of ${id}.`)
  if (move === 'merge' && loop.task.type === 'review') {
    const { of } = loop.task
    return because(`is a review of task ${of}`, `umpire merge ${of} merges the work itself.`)
  }
  if (
    move === 'merge' &&
    status === 'completed' &&
    !loop.landing.approval &&
    openBlocking(loop.review.ledger).length > 0
  ) {
    return because(
      'has open blocking issues',
      `umpire review ${id} asks again; umpire edit ${id} --verdict APPROVED approves it yourself.`,
    )
  }
  if (move === 'improve' && loop.landing.resolving)
    return because(
      'has an unfinished merge',
      `umpire retry ${id} continues it. If you have resolved it yourself, umpire review ${id} reviews it.`,
    )
  if (move === 'merge' && status !== 'completed' && loop.turn.phase !== 'land') {
    return because(
      `is ${status}, not approved`,
      `umpire review ${id} asks for a review; umpire edit ${id} --verdict APPROVED approves it yourself.`,
    )
  }
  return null
}

function noReview(id: number): string {
  return `umpire review ${id} asks for one. Or say what to do: umpire improve ${id} --note "…".`
}

/** The person's reason becomes an issue in the ledger, and feedback for the developer's next session. */
function wordsFor(loop: Loop, { verdict, why }: Move & { kind: 'verdict' }): NewEvent[] {
  if (verdict !== 'CHANGES_REQUESTED') return []
  const { cycle } = loop.review
  const description = why ?? 'A person looked at the work and wants changes.'
  const reported: ReportedIssue = { ...noPlace, type: 'other', severity: 'blocking', description }
  const issue = loop.review.ledger.length + 1
  const opened = { issue, reported, cycle, review: 'person', late: false, reopened: false }
  const issues = openForDeveloper(withOpened(loop.review.ledger, opened))
  return [
    { type: 'issue.opened', data: opened },
    {
      type: 'loop.feedback',
      data: { feedback: { from: 'review', cycle, summary: description, issues }, cycle },
    },
  ]
}

const noPlace = {
  id: null,
  file: null,
  line: null,
  section: null,
  suggestion: null,
  witness: null,
  status: null,
}

/** A person's verdict has the same effect as a review with that verdict, but at once. */
function verdictEvent(loop: Loop, verdict: Verdict, by: Actor): NewEvent {
  const { cycle } = loop.review
  if (verdict === 'APPROVED') {
    return {
      type: 'loop.approved',
      data: { by: 'person', review: null, tree: loop.work.head?.tree ?? null, cycle },
    }
  }
  const reason: BlockReason =
    verdict === 'REJECTED'
      ? 'rejected'
      : verdict === 'NEEDS_DISCUSSION'
        ? 'needs_discussion'
        : 'changes_requested'
  return {
    type: 'loop.blocked',
    data: {
      reason,
      detail: `${by} set the verdict.`,
      // With this verdict the work must not land any more, whatever stopped it before.
      recovery: recoveryFrom(reason, applyChange(loop, { turn: { phase: 'judge' } })),
      verdict,
      cycle,
    },
  }
}
