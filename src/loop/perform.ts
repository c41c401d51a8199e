/** Carries out each step, and returns the events that record the outcome. Nothing is decided here. */
import type { Loop } from '../core/loop.ts'
import type { Step } from '../core/step.ts'
import { runBaseline, runGate } from './check/run-gates.ts'
import { runWitnesses } from './check/run-witnesses.ts'
import { commitWork } from './develop/commit-work.ts'
import { openWork } from './develop/open-work.ts'
import { startDeveloper } from './develop/start-developer.ts'
import { land } from './land/land.ts'
import { abandonMerge, beginMerge, concludeMerge, startResolver } from './land/resolve-conflicts.ts'
import type { Performed, Ports } from './ports.ts'
import { combineSeats } from './review/combine-seats.ts'
import { startParser } from './review/parser-session.ts'
import { takeCheckpoint } from './review/start-checkpoint.ts'
import { startReviewer } from './review/start-reviewer.ts'
import { attendSession } from './session/attend-session.ts'

type Performable = Exclude<Step, { do: 'rest' | 'await' }>

type Performer<D extends Performable['do']> = (
  step: Extract<Performable, { do: D }>,
  loop: Loop,
  ports: Ports,
  signal: AbortSignal,
) => Promise<Performed>

const performers: { [D in Performable['do']]: Performer<D> } = {
  record: async ({ events }) => ({ events }),
  open: async (_, loop, ports, signal) => ({ events: await openWork(loop, ports, signal) }),
  baseline: ({ gate }, loop, ports, signal) => runBaseline(gate, loop, ports, signal),
  develop: startDeveloper,
  review: startReviewer,
  combine: async (step, loop, ports) => ({ events: await combineSeats(step, loop, ports) }),
  checkpoint: takeCheckpoint,
  parse: startParser,
  attend: ({ session }, loop, ports, signal) => attendSession(session, loop, ports, signal),
  commit: commitWork,
  gate: runGate,
  witness: runWitnesses,
  land,
  merge: beginMerge,
  resolve: startResolver,
  conclude: concludeMerge,
  abandon: abandonMerge,
}

export function perform(
  step: Performable,
  loop: Loop,
  ports: Ports,
  signal: AbortSignal,
): Promise<Performed> {
  // The table's type gives each performer the step of its own name, but the lookup loses that.
  const performer = performers[step.do] as Performer<Performable['do']>
  return performer(step, loop, ports, signal)
}
