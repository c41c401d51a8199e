/** An event as programs and screens see it: its place, its task, a sentence, and its data. */
import type { EventData, GateResult, PersonMove, StoredEvent } from '../core/event.ts'
import { loopName } from '../core/loop.ts'
import { describeWarning } from '../core/schedule/out-of-budget.ts'
import type { Feedback } from '../core/session/feedback.ts'
import type { Beside } from '../core/session/session.ts'
import { describeChanges } from '../core/session/surroundings.ts'
import { describeMerging, landMessage, resolvingMessage } from './landing-messages.ts'
import { startWords } from './session-line.ts'

export interface EventView {
  seq: number
  at: string
  type: string
  task: number | null
  loop: string | null
  cycle: number | null
  message: string
  data: Record<string, unknown>
}

export function viewEvent(event: StoredEvent): EventView {
  const task = event.stream.startsWith('task/') ? Number(event.stream.slice('task/'.length)) : null
  // Prompts and raw answers are long and have their own place: `umpire show --prompts` and `umpire reviews`.
  const { prompt: _, rawOutput: __, ...data } = event.data as Record<string, unknown>
  return {
    seq: event.seq,
    at: event.at,
    type: event.type,
    task,
    loop: task === null ? null : loopName(task),
    cycle: ownCycle(event),
    message: eventMessage(event),
    data,
  }
}

/** The cycle of an event. Null for events that do not name one. */
export function ownCycle({ data }: StoredEvent): number | null {
  return 'cycle' in data ? data.cycle : null
}

export function eventMessage(event: StoredEvent): string {
  switch (event.type) {
    case 'run.started':
      return `Run started, ${event.data.parallel} at a time`
    case 'run.ended':
      return runEnds[event.data.outcome]
    case 'task.added':
      return `Added: ${event.data.task.title}`
    case 'task.changed':
      return `Changed: ${Object.keys(event.data.changes).join(', ')}`
    case 'task.deleted':
      return 'Deleted'
    case 'task.overlaps': {
      const { with: other, files, does } = event.data
      const both = `Task ${other} is running and touches the same files: ${files.join(', ')}`
      return does === 'waits' ? `Waiting. ${both}` : `Likely conflict. ${both}`
    }
    case 'loop.claimed':
      return `Claimed by run ${event.data.run}`
    case 'loop.released':
      return `${capitalised(event.data.why)}. umpire work continues where it stopped.`
    case 'loop.started':
      return `On branch ${event.data.place.branch}, from ${startWords(event.data.place, event.data.inherited?.task ?? null)}`
    case 'loop.developing':
      return developing(event.data)
    case 'loop.committed':
      return `Committed ${event.data.sha.slice(0, 10)}: ${event.data.message}`
    case 'loop.checking':
      return `Checking: ${event.data.gates.join(', ')}`
    case 'loop.reviewing':
      return event.data.ask === null ? 'Reviewing…' : `Reviewing… (asked again, ${event.data.attempt})`
    case 'loop.interval':
      return `Checkpoint at iteration ${event.data.iteration}`
    case 'loop.checkpoint': {
      const { verdict, body } = event.data
      const count = body.issues.length
      return `Checkpoint: ${verdict}, ${count} ${count === 1 ? 'issue' : 'issues'} for the next iteration`
    }
    case 'loop.feedback':
      return feedbackMessage(event.data.feedback)
    case 'loop.reconsidered':
      return 'All blocking issues are waived. Asking the reviewer again.'
    case 'loop.approved':
      return event.data.by === 'person' ? 'Approved by a person' : 'Approved'
    case 'loop.awaiting_review':
      return 'Waiting until a person asks for a review'
    case 'loop.landing':
      return `Merging into ${event.data.base}…`
    case 'loop.integrated':
      return landMessage(event.data.outcome)
    case 'loop.resolving':
      return resolvingMessage(event.data)
    case 'loop.merging':
      return describeMerging(event.data)
    case 'loop.unresolved':
      return `Not resolved: ${event.data.why}`
    case 'loop.abandoned':
      return 'The merge was abandoned. The work is as it was before.'
    case 'loop.landed':
      return `Merged into ${event.data.base} as ${event.data.commit.slice(0, 10)}`
    case 'loop.completed':
      return 'Completed without a review'
    case 'loop.blocked':
      return `Blocked (${event.data.reason}): ${event.data.detail}`
    case 'loop.freed':
      return `Continues: ${event.data.why}`
    case 'loop.failed':
      return `Failed (${event.data.reason}): ${event.data.detail}`
    case 'session.started':
      return `The ${who(event.data)} started (${event.data.agent})`
    case 'session.identified':
      return `The agent calls its session ${event.data.agentSession}`
    case 'session.ended': {
      const { outcome } = event.data
      const whose = sessionOf(event.data.beside)
      if (outcome.kind !== 'failed') return `${whose} ${outcome.kind}`
      return `${whose} failed (${outcome.class}): ${outcome.detail}`
    }
    case 'session.noted':
      return event.data.about === 'progress' ? `Progress: ${event.data.text}` : event.data.text
    case 'session.waiting':
      return `${event.data.agent} is waiting: ${event.data.text}`
    case 'session.strayed':
      return `Changed outside the worktree, perhaps by you: ${describeChanges(event.data.changes)}`
    case 'session.lost':
      return `${sessionOf(event.data.beside)} lost: ${event.data.detail}`
    case 'gate.completed':
      return gateMessage(event.data)
    case 'gate.baseline':
      return `${gateMessage(event.data)} on the base, before any work`
    case 'review.started':
      return `Review ${event.data.cycle} started`
    case 'review.answered':
      return 'The review is plain text. A parser session reads it.'
    case 'review.given':
      return `Seat ${event.data.seat} (${event.data.agent}): ${event.data.body.verdict}`
    case 'review.completed': {
      const { verdict, summary } = event.data.body
      const [line = ''] = summary.trim().split('\n')
      return `Review: ${verdict}${line ? ` - ${line}` : ''}`
    }
    case 'review.failed':
      return `${whoFailed(event.data)} gave no verdict: ${event.data.why}`
    case 'issue.opened':
      return `Issue ${event.data.issue} ${event.data.reopened ? 'reopened' : 'opened'}: ${event.data.reported.description}`
    case 'issue.resolved':
      return `Issue ${event.data.issue} resolved`
    case 'issue.proven':
      return proofMessage(event.data)
    case 'issue.waived':
      return `Issue ${event.data.issue} waived by ${event.data.by}: ${event.data.why}`
    case 'budget.warned':
      return describeWarning(event.data)
    case 'person.decided':
      return personMessage(event.data)
  }
}

/** A session that was told to fix nothing continues the work. */
function developing({ iteration, told }: EventData['loop.developing']): string {
  if (iteration === 1) return 'Developing…'
  return told === 'nothing' ? 'Continuing…' : 'Improving…'
}

function who({ role, beside }: EventData['session.started']): string {
  if (!beside) return role
  return beside.kind === 'panel' ? `${role} in seat ${beside.seat}` : `${role} of a checkpoint`
}

const runEnds = {
  finished: 'Run ended',
  interrupted: 'Run interrupted',
  stopped: 'Run stopped: an agent has no valid login or credit',
} satisfies Record<EventData['run.ended']['outcome'], string>

function sessionOf(beside: Beside | undefined): string {
  if (!beside) return 'Session'
  return beside.kind === 'panel' ? `Session of seat ${beside.seat}` : 'Session of a checkpoint'
}

/** Names the seat of a panel, because the other seats may still complete the review. */
function whoFailed({ seat, kind }: EventData['review.failed']): string {
  if (kind === 'checkpoint') return 'Checkpoint'
  return seat === undefined ? 'Review' : `Seat ${seat}`
}

function feedbackMessage(feedback: Feedback): string {
  switch (feedback.from) {
    case 'review': {
      const blocking = feedback.issues.filter((issue) => issue.severity === 'blocking').length
      return `Sent back with ${blocking} blocking ${blocking === 1 ? 'issue' : 'issues'}`
    }
    case 'gate':
      return feedback.merged === undefined
        ? `Sent back: gate ${feedback.gates.map((gate) => gate.name).join(', ')} failed`
        : `Sent back: gate ${feedback.gates.map((gate) => gate.name).join(', ')} fails when merged with ${feedback.merged}`
    case 'empty':
      return 'Sent back: nothing was changed'
    case 'person':
      return `Sent back with a note: ${feedback.note}`
  }
}

function gateMessage(gate: Pick<GateResult, 'name' | 'passed' | 'timedOut' | 'exitCode'>): string {
  const how = gate.passed ? 'passed' : gate.timedOut ? 'timed out' : `failed (exit code ${gate.exitCode})`
  return `Gate ${gate.name} ${how}`
}

function proofMessage({ issue, outcome, exitCode, witness, output }: EventData['issue.proven']): string {
  if (witness === null) return `Issue ${issue} is unproven: it has no witness`
  switch (outcome) {
    case 'proven':
      return `Issue ${issue} is proven: its witness fails (exit code ${exitCode})`
    case 'unproven':
      return `Issue ${issue} is unproven: its witness passes`
    case 'unclear':
      return `The witness of issue ${issue} is inconclusive (${exitCode === null ? 'it was stopped' : `exit code ${exitCode}`})`
    case 'not run':
      return `The witness of issue ${issue} was not run: ${output}`
  }
}

function personMessage({
  move,
  by,
  why,
  verdict,
}: (StoredEvent & { type: 'person.decided' })['data']): string {
  const what = move === 'verdict' ? `set the verdict to ${verdict}` : moved[move]
  return `${by} ${what}${why ? `: ${why}` : ''}`
}

function capitalised(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
}

const moved = {
  retry: 'retried it',
  cancel: 'cancelled it',
  waive: 'waived the blocking issues',
  review: 'asked for a review',
  improve: 'sent it back to the developer',
  merge: 'asked to merge it',
} satisfies Record<Exclude<PersonMove, 'verdict'>, string>
