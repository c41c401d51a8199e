/** Runs the gates of all parts of a landing, each command once, in the checkout in which the parts were merged. */
import type { SetupError } from '../../core/errors.ts'
import type { GateResult } from '../../core/event.ts'
import type { Gate } from '../../core/policy/policy.ts'
import type { FailedGate } from '../../core/session/feedback.ts'
import { commandId, runCommand } from '../check/run-command.ts'
import { resultOf } from '../check/run-gate.ts'
import type { Ports } from '../ports.ts'

/** `from` is the first part, counted from 1, that has this gate as its own; null for a gate that must pass on the base alone. */
export interface SharedGate {
  gate: Gate
  limitMs: number
  from: number | null
}

/** `at` is the number of the part that adds these gates. */
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
  // Files that one gate left behind must not affect the next one.
  await ports.vcs.restoreScratch(name, commit)
  return { ...resultOf(gate, tree, ran), kind: gate.kind }
}

/** The results, under the names that one part has for its gates. */
export function resultsFor(gates: Gate[], results: GateResult[]): GateResult[] {
  return gates.flatMap(({ name, command, kind }) =>
    results.filter((result) => result.command === command).map((result) => ({ ...result, name, kind })),
  )
}

/** A failed setup command is reported to the developer like a failed gate. */
export function failedSetup({ message, ran }: SetupError): FailedGate {
  const { command, exitCode, timedOut, output } = ran ?? {
    ...{ command: '', exitCode: null, timedOut: false, output: message },
  }
  return { name: 'worktree.setup', command, exitCode, timedOut, output }
}

export function failedGate({ name, command, exitCode, timedOut, output }: GateResult): FailedGate {
  return { name, command, exitCode, timedOut, output }
}
