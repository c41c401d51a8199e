/**
 * A world without a clock, a disk or agents, in which a loop can be played to its end: `decide` says what to do, a
 * script says how it ends, and the events are those that the real harness appends. A script's lists are consumed in
 * order. When one is used up, steps succeed (the developer changes something, gates pass, the reviewer approves).
 */

import { decide } from '../../src/core/decide.ts'
import type { EventData, EventType, NewEvent, StoredEvent } from '../../src/core/event.ts'
import { evolve, foldLoop } from '../../src/core/evolve.ts'
import type { Loop } from '../../src/core/loop.ts'
import { decideMove, type Move } from '../../src/core/person/move.ts'
import { treeBefore } from '../../src/core/phases/review.ts'
import type { Inherited } from '../../src/core/place.ts'
import type { Policy } from '../../src/core/policy/policy.ts'
import type { Role, RunningSession, SessionStart } from '../../src/core/session/session.ts'
import type { Step } from '../../src/core/step.ts'
import { newTask, type Task } from '../../src/core/task.ts'
import { besideEnded, checkpointTaken, combined, seatsStarted } from './beside-play.ts'
import { gateCompleted, gateResult, hookRefused, landed } from './gate-results.ts'
import { type PlainMove, plainMoves } from './plain-moves.ts'
import { isMergeStep, mergePlayed } from './played-merge.ts'
import { baseTree, PlayedTree } from './played-tree.ts'
import { type Outcomes, outcomesOf, type Script } from './script.ts'
import { developerEnded, parserEnded, reviewerEnded } from './session-ends.ts'
import type { DeveloperTurn, ParserTurn, ReviewerTurn } from './turns.ts'
import { witnessed } from './witness-results.ts'

export type { Script } from './script.ts'

export const usualPolicy: Policy = {
  effort: 'medium',
  depth: 'standard',
  reviewed: true,
  trigger: 'script_completion',
  land: 'branch',
  maxCycles: 3,
  maxIterations: 20,
  until: 'session_end',
  gates: [],
  baseline: false,
  maxGateFailures: 3,
  reviewRetries: 1,
  agentRetries: 2,
  minScore: 70,
  checkpointEvery: null,
  seats: 1,
  approveBy: 'all',
  proof: 'off',
}

/** More steps than any policy here allows. A loop that takes this many does not end. */
const tooManySteps = 5_000

export class World {
  readonly events: StoredEvent[] = []
  /** Every step with the state on which it was decided. */
  readonly trace: { step: Step; loop: Loop }[] = []
  loop: Loop
  private policy: Policy
  private now = Date.parse('2026-01-01T00:00:00.000Z')
  private readonly tree = new PlayedTree()
  private readonly inherited: Inherited | null

  /** `inherited`: what the loop begins with if its task is for another task. */
  constructor(policy: Partial<Policy> = {}, task: Partial<Task> = {}, inherited: Inherited | null = null) {
    this.inherited = inherited
    this.policy = { ...usualPolicy, ...policy }
    const added: NewEvent = {
      type: 'task.added',
      data: { task: { ...newTask('Add a feature'), ...task }, by: 'ada' },
    }
    this.loop = evolve(null, this.store(added))
    this.claim()
  }

  /** Plays until the loop rests. */
  play(script: Script = {}): this {
    const next = outcomesOf(script)
    for (let steps = 0; steps < tooManySteps; steps += 1) {
      const step = decide(this.loop)
      this.trace.push({ step, loop: this.loop })
      if (step.do === 'rest') return this
      if ('notBefore' in step && step.notBefore !== null) {
        this.now = Math.max(this.now, Date.parse(step.notBefore))
      }
      this.append(...this.outcomeOf(step, next))
      if (this.loop.standing.status === 'in_progress' && this.events.at(-1)?.type === 'session.ended') {
        this.handOverIfInterrupted()
      }
    }
    throw new Error('the loop does not end')
  }

  /** Appends all events at once and with the same time, like the journal. */
  append(...events: NewEvent[]): this {
    this.now += 1
    for (const event of events) this.loop = evolve(this.loop, this.store(event))
    return this
  }

  /** Another worker takes the loop, maybe under other limits. */
  claim(policy: Partial<Policy> = {}): this {
    this.policy = { ...this.policy, ...policy }
    return this.append({ type: 'loop.claimed', data: { run: 1, worker: 'w', policy: this.policy } })
  }

  /** A person's move, which has to be allowed. */
  person(move: Move | PlainMove): this {
    const made = typeof move === 'string' ? plainMoves[move] : move
    const outcome = decideMove(this.loop, made, 'ada')
    if (outcome.kind === 'refused') throw new Error(outcome.why)
    return this.append(...outcome.events)
  }

  /** The same, and then the work that `umpire work` or the command itself does at once. */
  goOn(move: Move | PlainMove, script: Script = {}): this {
    return this.person(move).claim().play(script)
  }

  /** The person changes the work in the worktree while the loop is stopped. */
  editByHand(): this {
    this.tree.writeByHand()
    return this
  }

  all<T extends EventType>(type: T): EventData[T][] {
    return this.events.flatMap((event) => (isOf(event, type) ? [event.data] : []))
  }

  sessions(role: Role): SessionStart[] {
    return this.all('session.started').filter((session) => session.role === role)
  }

  steps<D extends Step['do']>(what: D): (Step & { do: D })[] {
    return this.trace.flatMap(({ step }) => (isDoing(step, what) ? [step] : []))
  }

  /** The state after the first `count` events, folded from scratch. */
  refolded(count = this.events.length): Loop | null {
    return foldLoop(this.events.slice(0, count))
  }

  private store(event: NewEvent): StoredEvent {
    const version = this.events.length + 1
    const stored: StoredEvent = {
      ...event,
      seq: version,
      stream: 'task/7',
      version,
      at: new Date(this.now).toISOString(),
    }
    this.events.push(stored)
    return stored
  }

  private outcomeOf(step: Exclude<Step, { do: 'rest' }>, next: Outcomes): NewEvent[] {
    if (isMergeStep(step)) return mergePlayed(step, next, this.loop, this.tree)
    switch (step.do) {
      case 'record':
        return step.events
      case 'open':
        return [this.open()]
      case 'baseline':
        return [{ type: 'gate.baseline', data: gateResult(step.gate, next.gate() !== 'fail', baseTree) }]
      case 'gate':
        return [gateCompleted(step.gate, step.gate.kind, next.gate() !== 'fail', step.tree)]
      case 'witness':
        return witnessed(step, next.witness, this.loop)
      case 'develop':
        return this.startDeveloper(step)
      case 'review':
        return step.seats ? seatsStarted(step, this.loop) : this.startReviewer(step)
      case 'combine':
        return combined(step, this.loop, this.events, this.changes(this.loop.review.cycle + 1))
      case 'checkpoint':
        return checkpointTaken(step, this.loop)
      case 'await':
        return this.awaitBeside(next)
      case 'parse':
        return [this.startParser(step)]
      case 'attend':
        return this.attend(step.session, next)
      case 'commit':
        return [
          next.commit() === 'refused'
            ? hookRefused(this.loop)
            : this.tree.commit(step.session, step.subject, this.loop),
        ]
      case 'land':
        return landed(step, next.landing() ?? 'lands', this.loop)
    }
  }

  private open(): NewEvent {
    const place = { branch: 'umpire/7-add', base: 'main', baseCommit: 'c0', worktree: 'worktrees/7' }
    const { inherited } = this
    if (!inherited) return { type: 'loop.started', data: { place } }
    this.tree.inherit(inherited.tree)
    return { type: 'loop.started', data: { place: { ...place, start: inherited.sha }, inherited } }
  }

  private startDeveloper({ iteration, attempt }: Step & { do: 'develop' }): NewEvent[] {
    const cycle = this.loop.review.cycle + 1
    const maxCycles = this.loop.policy?.maxCycles ?? 0
    return [
      { type: 'loop.developing', data: { iteration, cycle, attempt, maxCycles } },
      this.started({ role: 'developer', iteration, cycle, attempt, reviewed: null }),
    ]
  }

  private startReviewer({ cycle, attempt, ask }: Step & { do: 'review' }): NewEvent[] {
    const tree = this.loop.work.head?.tree ?? baseTree
    const maxCycles = this.loop.policy?.maxCycles ?? 0
    const {
      turn: { iteration },
    } = this.loop
    const session = this.nextSession()
    const reviewed = { tree, fingerprint: 'f', clone: 'c' }
    return [
      { type: 'loop.reviewing', data: { cycle, attempt, maxCycles, tree, ask } },
      { type: 'review.started', data: { review: `${session}-review`, cycle, attempt, session, tree } },
      this.started({ role: 'reviewer', iteration, cycle, attempt, reviewed }),
    ]
  }

  private startParser({ answer, attempt }: Step & { do: 'parse' }): NewEvent {
    const {
      turn: { iteration },
    } = this.loop
    const reviewed = { tree: 'empty', fingerprint: 'f', clone: 'c' }
    return this.started({ role: 'parser', iteration, cycle: answer.cycle, attempt, reviewed })
  }

  private nextSession(): string {
    return `7-${this.loop.turn.sessions + 1}`
  }

  private started(of: Pick<SessionStart, 'role' | 'iteration' | 'cycle' | 'attempt' | 'reviewed'>): NewEvent {
    const session = this.nextSession()
    const given = { agent: 'scripted', model: null, prompt: 'Please.', tokenHash: 'h', limitMs: 60_000 }
    return { type: 'session.started', data: { session, ...of, ...given } }
  }

  private attend(session: RunningSession, next: Outcomes): NewEvent[] {
    switch (session.role) {
      case 'resolver':
        return this.attendDeveloper(session, next.resolver() ?? { does: 'works' })
      case 'developer':
        return this.attendDeveloper(session, next.developer() ?? { does: 'works' })
      case 'reviewer':
        return this.attendReviewer(session, next.reviewer() ?? { does: 'approves' })
      case 'parser':
        return this.attendParser(session, next.parser() ?? { does: 'approves' })
    }
  }

  private attendDeveloper(session: RunningSession, turn: DeveloperTurn): NewEvent[] {
    if (turn.does === 'works' || turn.does === 'times-out' || turn.does === 'gives-up') {
      this.tree.write(turn.tree ?? `tree-${session.session}`, turn.touched)
    }
    return developerEnded(session, turn)
  }

  private attendReviewer(session: RunningSession, turn: ReviewerTurn): NewEvent[] {
    const changes = this.tree.changesSince(treeBefore(this.loop, session.cycle))
    return reviewerEnded(session, turn, this.loop.review.ledger, changes)
  }

  /** Parallel sessions end in the order in which they started. */
  private awaitBeside(next: Outcomes): NewEvent[] {
    const [session] = this.loop.turn.beside
    if (!session) throw new Error('there is nobody to wait for')
    const { beside } = session
    const turn = beside?.kind === 'panel' ? next.reviewer() : next.checkpoint()
    return besideEnded(session, turn ?? { does: 'approves' }, this.loop)
  }

  private changes(cycle: number) {
    return this.tree.changesSince(treeBefore(this.loop, cycle))
  }

  private attendParser(session: RunningSession, turn: ParserTurn): NewEvent[] {
    const {
      review: { unparsed, ledger },
    } = this.loop
    if (!unparsed) throw new Error('there is nothing to parse')
    const changes = this.tree.changesSince(treeBefore(this.loop, unparsed.cycle))
    return parserEnded(session, unparsed, turn, ledger, changes)
  }

  private handOverIfInterrupted(): void {
    const last = this.all('session.ended').at(-1)
    if (last?.outcome.kind !== 'interrupted') return
    this.append({ type: 'loop.released', data: { why: 'interrupted' } })
    this.claim()
  }
}

function isOf<T extends EventType>(
  event: StoredEvent,
  type: T,
): event is StoredEvent & { type: T; data: EventData[T] } {
  return event.type === type
}

function isDoing<D extends Step['do']>(step: Step, what: D): step is Step & { do: D } {
  return step.do === what
}
