/**
 * Checks the merged result of a landing: by the setup commands of its checkout, and by all gates of its parts. If
 * something fails, prefixes of the parts are tried, each in its own new checkout, because the whole may have installed
 * other things than a prefix would. A failure that happens only once is blamed on no part.
 */
import { SetupError } from '../../core/errors.ts'
import type { GateResult } from '../../core/event.ts'
import type { Loop } from '../../core/loop.ts'
import type { Gate } from '../../core/policy/policy.ts'
import type { FailedGate } from '../../core/session/feedback.ts'
import type { CheckoutNeeds } from '../../vcs/worktrees.ts'
import { commandId, runCommand } from '../check/run-command.ts'
import { resultOf } from '../check/run-gates.ts'
import type { Ports } from '../ports.ts'
import { findBlame } from './find-culprit.ts'

/** All parts as merged, in a checkout that is prepared unless the preparation failed. */
export interface Whole {
  name: string
  /** Null if there is nothing to run. */
  path: string | null
  base: string
  commit: string
  tree: string
  unprepared: SetupError | null
  /** The merged commits, in order. */
  merged: { commit: string; tree: string }[]
  gates: SharedGate[]
}

export type BatchCheck =
  | { kind: 'passed' }
  /** The setup commands failed, and passed when they were tried again. */
  | { kind: 'again'; error: SetupError }
  /** `number` is the first part that makes it fail; null if it fails on the base alone. */
  | { kind: 'failed'; number: number | null; gates: FailedGate[]; error: SetupError | null }

interface Means {
  lead: Loop
  needs: CheckoutNeeds
  ports: Ports
  /** Called with every gate that ran on the whole. The last result of each gate counts. */
  onResults: (results: GateResult[]) => void
}

export async function checkBatch(whole: Whole, means: Means, signal: AbortSignal): Promise<BatchCheck> {
  const { merged, gates, path, unprepared: error } = whole
  if (error) {
    const isSetUp = async (parts: number) => (await tryPrefix(null, parts, whole, means, signal)).passed
    const blame = await findBlame(merged.length, null, isSetUp)
    if (blame.kind === 'passed') return { kind: 'again', error }
    const number = blame.kind === 'part' ? blame.number : null
    return { kind: 'failed', number, gates: [failedSetup(error)], error }
  }
  if (path === null) {
    if (gates.length > 0) throw new Error('there is no checkout to run the gates in')
    return { kind: 'passed' }
  }
  const results: GateResult[] = []
  for (const gate of gates)
    results.push(await runShared(gate, { ...whole, path }, means.lead, means.ports, signal))
  means.onResults(results)
  const failed = results.filter(({ passed }) => !passed).map(failedGate)
  for (const [index, gate] of gates.entries()) {
    if (results[index]?.passed !== false) continue
    let last: GateResult | null = null
    const passes = async (parts: number) => {
      const tried = await tryPrefix(gate, parts, whole, means, signal)
      last = tried.result
      return tried.passed
    }
    const blame = await findBlame(merged.length, gate.from, passes)
    if (blame.kind !== 'passed')
      return {
        kind: 'failed',
        number: blame.kind === 'part' ? blame.number : null,
        gates: failed,
        error: null,
      }
    if (last) means.onResults([last])
  }
  return { kind: 'passed' }
}

/** With null as the gate, it tells whether such a checkout can be set up at all. */
async function tryPrefix(
  gate: SharedGate | null,
  parts: number,
  { name, base, merged }: Whole,
  { lead, needs, ports }: Means,
  signal: AbortSignal,
): Promise<{ passed: boolean; result: GateResult | null }> {
  const { commit, tree } = merged[parts - 1] ?? { commit: base, tree: base }
  try {
    const path = await ports.vcs.openScratch(name, commit, needs, signal)
    if (gate === null) return { passed: true, result: null }
    const result = await runShared(gate, { name, path, commit, tree }, lead, ports, signal)
    return { passed: result.passed, result }
  } catch (error) {
    if (error instanceof SetupError) return { passed: false, result: null }
    throw error
  }
}

/** `from` is the first part, counted from 1, that has this gate as its own; null for a gate that must pass on the base alone. */
interface SharedGate {
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

interface MergedCheckout {
  name: string
  path: string
  commit: string
  tree: string
}

/** Runs the gates of all parts of a landing, each command once, in the checkout in which the parts were merged. */
async function runShared(
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
function failedSetup({ message, ran }: SetupError): FailedGate {
  const { command, exitCode, timedOut, output } = ran ?? {
    ...{ command: '', exitCode: null, timedOut: false, output: message },
  }
  return { name: 'worktree.setup', command, exitCode, timedOut, output }
}

function failedGate({ name, command, exitCode, timedOut, output }: GateResult): FailedGate {
  return { name, command, exitCode, timedOut, output }
}
