/**
 * A world without a clock, a disk or agents, in which a loop can be played to its end: `decide` says what to do, a
 * script says what comes of it, and the events are those that the real harness appends. A script's list is used up in
 * order; what it leaves open goes well (the developer changes something, gates pass, the reviewer approves).
 */
import { decide, type Step } from '../../src/core/decide.ts'
import type { EventData, EventType, NewEvent, SessionStart, StoredEvent } from '../../src/core/event.ts'
import { evolve, foldLoop, treeBefore } from '../../src/core/evolve.ts'
import type { Policy } from '../../src/core/limits.ts'
import type { Loop, RunningSession } from '../../src/core/loop.ts'
import { newTask, type Task } from '../../src/core/task.ts'
import { developerEnded, reviewerEnded } from './session-ends.ts'
import type { DeveloperTurn, ReviewerTurn, Touched } from './turns.ts'

export interface Script {
  developer?: Iterable<DeveloperTurn>
  reviewer?: Iterable<ReviewerTurn>
  commits?: Iterable<'accepted' | 'refused'>
  gates?: Iterable<'pass' | 'fail'>
}

export const usualPolicy: Policy = {
  effort: 'medium',
  depth: 'standard',
  reviewed: true,
  maxCycles: 3,
  maxIterations: 20,
  until: 'session_end',
  gates: [],
  baseline: false,
  maxGateFailures: 3,
  reviewRetries: 1,
  agentRetries: 2,
  minScore: 70,
}

export const baseTree = 'base'

/** More steps than any policy here allows; a loop that takes them does not end. */
const tooManySteps = 5_000

export class World {
  readonly events: StoredEvent[] = []
  /** Every step with the state it was decided on. */
  readonly trace: { step: Step; loop: Loop }[] = []
  loop: Loop
  private policy: Policy
  private now = Date.parse('2026-01-01T00:00:00.000Z')
  private readonly commits: { tree: string; touched: Touched }[] = [{ tree: baseTree, touched: {} }]
  /** What the developer left in the worktree and nobody has committed yet. */
  private files: { tree: string; touched: Touched } = { tree: baseTree, touched: {} }

  constructor(policy: Partial<Policy> = {}, task: Partial<Task> = {}) {
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
    const next = {
      developer: take(script.developer),
      reviewer: take(script.reviewer),
      commit: take(script.commits),
      gate: take(script.gates),
    }
    for (let steps = 0; steps < tooManySteps; steps += 1) {
      const step = decide(this.loop)
      this.trace.push({ step, loop: this.loop })
      if (step.do === 'rest') return this
      if ('notBefore' in step && step.notBefore !== null) {
        this.now = Math.max(this.now, Date.parse(step.notBefore))
      }
      this.append(...this.outcomeOf(step, next))
      if (this.loop.status === 'in_progress' && this.events.at(-1)?.type === 'session.ended') {
        this.handOverIfInterrupted()
      }
    }
    throw new Error('the loop does not end')
  }

  append(...events: NewEvent[]): this {
    for (const event of events) this.loop = evolve(this.loop, this.store(event))
    return this
  }

  /** Another worker takes the loop, maybe under other limits. */
  claim(policy: Partial<Policy> = {}): this {
    this.policy = { ...this.policy, ...policy }
    return this.append({ type: 'loop.claimed', data: { run: 1, worker: 'w', policy: this.policy } })
  }

  person(move: 'retry' | 'cancel'): this {
    return this.append({ type: 'person.decided', data: { move, by: 'ada', why: null, verdict: null } })
  }

  /** The person changes the work in the worktree while the loop is stopped. */
  editByHand(): this {
    this.files = { tree: `${this.files.tree}-by-hand`, touched: { 'by-hand.txt': [[1, 1]] } }
    return this
  }

  all<T extends EventType>(type: T): EventData[T][] {
    return this.events.flatMap((event) => (isOf(event, type) ? [event.data] : []))
  }

  sessions(role: 'developer' | 'reviewer'): SessionStart[] {
    return this.all('session.started').filter((session) => session.role === role)
  }

  steps<D extends Step['do']>(what: D): (Step & { do: D })[] {
    return this.trace.flatMap(({ step }) => (isDoing(step, what) ? [step] : []))
  }

  refolded(): Loop | null {
    return foldLoop(this.events)
  }

  private store(event: NewEvent): StoredEvent {
    this.now += 1
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
    switch (step.do) {
      case 'record':
        return step.events
      case 'open': {
        const place = { branch: 'umpire/7-add', base: 'main', baseCommit: 'c0', worktree: 'worktrees/7' }
        return [{ type: 'loop.started', data: { place } }]
      }
      case 'baseline':
        return [{ type: 'gate.baseline', data: this.gateResult(step.gate, next.gate() !== 'fail') }]
      case 'gate':
        return [this.gateCompleted(step.gate, step.gate.kind, next.gate() !== 'fail')]
      case 'develop':
        return this.startDeveloper(step)
      case 'review':
        return this.startReviewer(step)
      case 'attend':
        return step.session.role === 'developer'
          ? this.attendDeveloper(step.session, next.developer() ?? { does: 'works' })
          : this.attendReviewer(step.session, next.reviewer() ?? { does: 'approves' })
      case 'commit':
        return [next.commit() === 'refused' ? this.refuseCommit() : this.commit(step.session, step.subject)]
    }
  }

  private gateCompleted(
    gate: { name: string; command: string },
    kind: 'gate' | 'backpressure' | 'hook',
    passed: boolean,
  ): NewEvent {
    return { type: 'gate.completed', data: { ...this.gateResult(gate, passed), kind } }
  }

  private gateResult({ name, command }: { name: string; command: string }, passed: boolean) {
    const output = passed ? '' : `${name} is not happy`
    const tree = this.loop.head?.tree ?? baseTree
    return { name, command, passed, exitCode: passed ? 0 : 1, timedOut: false, tree, output, durationMs: 1 }
  }

  private refuseCommit(): NewEvent {
    return this.gateCompleted({ name: 'commit hook', command: 'git commit' }, 'hook', false)
  }

  private startDeveloper({ iteration, attempt }: Step & { do: 'develop' }): NewEvent[] {
    const cycle = this.loop.cycle + 1
    const { maxCycles } = this.policy
    return [
      { type: 'loop.developing', data: { iteration, cycle, attempt, maxCycles } },
      this.started({ role: 'developer', iteration, cycle, attempt, reviewed: null }),
    ]
  }

  private startReviewer({ cycle, attempt, ask }: Step & { do: 'review' }): NewEvent[] {
    const tree = this.loop.head?.tree ?? baseTree
    const { maxCycles } = this.policy
    const { iteration } = this.loop
    const session = this.nextSession()
    const reviewed = { tree, fingerprint: 'f', clone: 'c' }
    return [
      { type: 'loop.reviewing', data: { cycle, attempt, maxCycles, tree, ask } },
      { type: 'review.started', data: { review: `${session}-review`, cycle, attempt, session, tree } },
      this.started({ role: 'reviewer', iteration, cycle, attempt, reviewed }),
    ]
  }

  private nextSession(): string {
    return `7-${this.loop.sessions + 1}`
  }

  private started(of: Pick<SessionStart, 'role' | 'iteration' | 'cycle' | 'attempt' | 'reviewed'>): NewEvent {
    const session = this.nextSession()
    const given = { agent: 'scripted', model: null, prompt: 'Please.', tokenHash: 'h', limitMs: 60_000 }
    return { type: 'session.started', data: { session, ...of, ...given } }
  }

  private attendDeveloper(session: RunningSession, turn: DeveloperTurn): NewEvent[] {
    if (turn.does === 'works' || turn.does === 'times-out') {
      this.files = { tree: turn.tree ?? `tree-${session.session}`, touched: turn.touched ?? {} }
    }
    return developerEnded(session, turn)
  }

  private attendReviewer(session: RunningSession, turn: ReviewerTurn): NewEvent[] {
    const changes = this.changesSince(treeBefore(this.loop, session.cycle))
    return reviewerEnded(session, turn, this.loop.ledger, changes)
  }

  private commit(session: string, message: string): NewEvent {
    const { tree } = this.files
    this.commits.push(this.files)
    this.files = { tree, touched: {} }
    const sha = `c${this.commits.length}`
    const from = this.loop.head?.sha ?? 'c0'
    const { iteration } = this.loop
    const empty = tree === baseTree
    return { type: 'loop.committed', data: { sha, tree, from, session, iteration, empty, message } }
  }

  private changesSince(tree: string | null): Touched | null {
    if (tree === null) return null
    const from = this.commits.findLastIndex((commit) => commit.tree === tree)
    return Object.assign({}, ...this.commits.slice(from + 1).map((commit) => commit.touched))
  }

  private handOverIfInterrupted(): void {
    const last = this.all('session.ended').at(-1)
    if (last?.outcome.kind !== 'interrupted') return
    this.append({ type: 'loop.released', data: { why: 'interrupted' } })
    this.claim()
  }
}

interface Outcomes {
  developer: () => DeveloperTurn | undefined
  reviewer: () => ReviewerTurn | undefined
  commit: () => 'accepted' | 'refused' | undefined
  gate: () => 'pass' | 'fail' | undefined
}

function take<T>(script: Iterable<T> = []): () => T | undefined {
  const iterator = script[Symbol.iterator]()
  return () => iterator.next().value
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
