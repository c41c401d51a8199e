/** The gates of all parts of a landing, each command once, run in the checkout in which the parts were merged. */
import type { SetupError } from '../../core/errors.ts'
import type { GateResult } from '../../core/event.ts'
import type { Gate } from '../../core/policy/policy.ts'
import type { FailedGate } from '../../core/session/feedback.ts'
import { commandId, runCommand } from '../check/run-command.ts'
import { resultOf } from '../check/run-gate.ts'
import type { Ports } from '../ports.ts'

/** `from`: the first part, counted from 1, whose own gate it is; null for one that has to pass without any. */
export interface SharedGate {
  gate: Gate
  limitMs: number
  from: number | null
}

/** `at`: the number of the part with which these gates come in. */
export interface GatesOfPart {
  gates: Gate[]
  limitMs: number
  at: number
}

export function sharedGates(parts: GatesOfPart[]): SharedGate[] {
  const shared = new Map<string, SharedGate>()
  for (const { gates, limitMs, at } of parts.toSorted((one, other) => one.at - other.at)) {
    for (const gate of gates) {
      const known = shared.get(gate.command)
      const from = gate.kind === 'gate' || known?.from === null ? null : (known?.from ?? at)
      shared.set(gate.command, {
        gate: known?.gate ?? gate,
        limitMs: Math.max(limitMs, known?.limitMs ?? 0),
        from,
      })
    }
  }
  return [...shared.values()]
}

export interface MergedCheckout {
  name: string
  path: string
  commit: string
  tree: string
}

export async function runShared(
  { gate, limitMs }: SharedGate,
  { name, path, commit, tree }: MergedCheckout,
  loop: { id: number; version: number },
  ports: Ports,
  signal: AbortSignal,
): Promise<GateResult> {
  const run = { id: commandId(loop, 'land-gate'), command: gate.command, cwd: path, limitMs }
  const ran = await runCommand(run, ports, signal)
  // What one gate left behind is not what the next one judges.
  await ports.vcs.restoreScratch(name, commit)
  return { ...resultOf(gate, tree, ran), kind: gate.kind }
}

/** What was found, under the names by which one part knows its gates. */
export function resultsFor(gates: Gate[], results: GateResult[]): GateResult[] {
  return gates.flatMap(({ name, command, kind }) =>
    results.filter((result) => result.command === command).map((result) => ({ ...result, name, kind })),
  )
}

/** To the one who has to mend it, a set-up that fails is a gate like the others. */
export function failedSetup({ message, ran }: SetupError): FailedGate {
  const { command, exitCode, timedOut, output } = ran ?? {
    ...{ command: '', exitCode: null, timedOut: false, output: message },
  }
  return { name: 'worktree.setup', command, exitCode, timedOut, output }
}

export function failedGate({ name, command, exitCode, timedOut, output }: GateResult): FailedGate {
  return { name, command, exitCode, timedOut, output }
}
