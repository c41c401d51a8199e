/** Carries out each step, and returns the events that record the outcome. Nothing is decided here. */

import type { Loop } from '../core/loop.ts'
import type { Step } from '../core/step.ts'
import { runBaseline, runGate } from './check/run-gate.ts'
import { runWitnesses } from './check/run-witnesses.ts'
import { commitWork } from './develop/commit-work.ts'
import { openWork } from './develop/open-work.ts'
import { startDeveloper } from './develop/start-developer.ts'
import { land } from './land/land.ts'
import { abandonMerge, beginMerge, concludeMerge } from './land/merge-in.ts'
import { startResolver } from './land/start-resolver.ts'
import type { Performed } from './performed.ts'
import type { Ports } from './ports.ts'
import { combineSeats } from './review/combine-seats.ts'
import { takeCheckpoint } from './review/start-checkpoint.ts'
import { startParser } from './review/start-parser.ts'
import { startReviewer } from './review/start-reviewer.ts'
import { attendSession } from './session/attend-session.ts'

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
