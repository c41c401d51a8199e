/** What each step does to the world, and the events that tell what came of it. Nothing is decided here. */
import type { Step } from '../core/decide.ts'
import type { NewEvent } from '../core/event.ts'
import type { Loop } from '../core/loop.ts'
import { attendSession } from './attend-session.ts'
import { combineSeats } from './combine-seats.ts'
import { commitWork } from './commit-work.ts'
import { land } from './land.ts'
import { abandonMerge, beginMerge, concludeMerge } from './merge-in.ts'
import { openWork } from './open-work.ts'
import type { Ports } from './ports.ts'
import { runBaseline, runGate } from './run-gate.ts'
import { runWitnesses } from './run-witnesses.ts'
import { takeCheckpoint } from './start-checkpoint.ts'
import { startDeveloper } from './start-developer.ts'
import { startParser } from './start-parser.ts'
import { startResolver } from './start-resolver.ts'
import { startReviewer } from './start-reviewer.ts'

export interface Performed {
  /** None when the step was not taken, because the task changed before it could be: then it is to be looked at again. */
  events: NewEvent[]
  /** To be done once the events are in the journal: start what they announce, or delete what they have recorded. */
  afterwards?: () => Promise<void>
}

export async function perform(
  step: Exclude<Step, { do: 'rest' | 'await' }>,
  loop: Loop,
  ports: Ports,
  signal: AbortSignal,
): Promise<Performed> {
  switch (step.do) {
    case 'record':
      return { events: step.events }
    case 'open':
      return { events: await openWork(loop, ports, signal) }
    case 'baseline':
      return runBaseline(step.gate, loop, ports, signal)
    case 'develop':
      return startDeveloper(step, loop, ports, signal)
    case 'review':
      return startReviewer(step, loop, ports, signal)
    case 'combine':
      return { events: await combineSeats(step, loop, ports) }
    case 'checkpoint':
      return takeCheckpoint(step, loop, ports, signal)
    case 'parse':
      return startParser(step, loop, ports, signal)
    case 'attend':
      return attendSession(step.session, loop, ports, signal)
    case 'commit':
      return commitWork(step, loop, ports, signal)
    case 'gate':
      return runGate(step, loop, ports, signal)
    case 'witness':
      return runWitnesses(step, loop, ports, signal)
    case 'land':
      return land(step, loop, ports, signal)
    case 'merge':
      return beginMerge(step, loop, ports, signal)
    case 'resolve':
      return startResolver(step, loop, ports, signal)
    case 'conclude':
      return concludeMerge(step, loop, ports, signal)
    case 'abandon':
      return abandonMerge(step, loop, ports)
  }
}
