/**
 * Gates are facts: Umpire runs them itself, on the exact tree, and removes the files they leave behind. An agent can ask
 * for them, too.
 */
import type { GateResult } from '../../core/event.ts'
import type { Loop } from '../../core/loop.ts'
import type { Gate } from '../../core/policy/policy.ts'
import type { RunningSession } from '../../core/session/session.ts'
import { type AskedGate, type GateAnswer, noSuchGate } from '../../core/session/tool-request.ts'
import type { Step } from '../../core/step.ts'
import { placeOf, recordedHead } from '../place-of.ts'
import type { Performed, Ports } from '../ports.ts'
import { checkoutNeeds } from './checkout-needs.ts'
import { type CommandEnd, commandId, runCommand } from './run-command.ts'

export async function runGate(
  { gate, tree }: Step & { do: 'gate' },
  loop: Loop,
  ports: Ports,
  signal: AbortSignal,
): Promise<Performed> {
  const place = placeOf(loop)
  const limitMs = ports.settings.limitsFor(loop.task).gate
  const { path: cwd } = await ports.vcs.openWorktree(place, checkoutNeeds(loop, ports), signal)
  // Clean up before the gate as well: a worker that was killed during a gate leaves the files of the gate.
  await ports.vcs.discard(place, recordedHead(loop))
  const run = { id: commandId(loop, 'gate'), command: gate.command, cwd, limitMs }
  // Clean up even after an interruption. Otherwise these files would later look like a person's changes.
  const ran = await runCommand(run, ports, signal).finally(() => ports.vcs.discard(place, recordedHead(loop)))
  return { events: [{ type: 'gate.completed', data: { ...resultOf(gate, tree, ran), kind: gate.kind } }] }
}

/** Runs a task's own gate on the base, so that the person learns if it already failed before any work was done. */
export async function runBaseline(
  gate: Gate,
  loop: Loop,
  ports: Ports,
  signal: AbortSignal,
): Promise<Performed> {
  const { baseCommit } = placeOf(loop)
  const name = `${loop.id}-baseline`
  const limitMs = ports.settings.limitsFor(loop.task).gate
  try {
    const cwd = await ports.vcs.openScratch(name, baseCommit, checkoutNeeds(loop, ports), signal)
    const ran = await runCommand(
      { id: commandId(loop, 'baseline'), command: gate.command, cwd, limitMs },
      ports,
      signal,
    )
    return { events: [{ type: 'gate.baseline', data: resultOf(gate, baseCommit, ran) }] }
  } finally {
    await ports.vcs.removeCheckout(name)
  }
}

export function resultOf({ name, command }: Gate, tree: string, ran: CommandEnd): Omit<GateResult, 'kind'> {
  return { name, command, tree, passed: ran.exitCode === 0, ...ran }
}

interface AskedFor {
  session: RunningSession
  /** The number of the request. */
  number: number
  /** The gates to run; all gates if none is named. */
  name: string | null
}

const longestOutput = 8_000

/**
 * Runs the gates that an agent asks for with `run_gate`, in a scratch checkout. Their result goes only to the agent and
 * decides nothing: the loop's own gates still have to pass.
 */
export async function runAskedGates(
  { session, number, name }: AskedFor,
  loop: Loop,
  ports: Ports,
  signal: AbortSignal,
): Promise<GateAnswer> {
  const known = loop.policy?.gates ?? []
  const gates = name === null ? known : known.filter((gate) => gate.name === name)
  if (gates.length === 0) return { kind: 'refused', why: noSuchGate(name, known) }

  // The name is unique per claim, so that a worker that lost its claim does not remove its successor's checkout.
  // It is also unique per session, because parallel sessions use the same request numbers.
  const asked = `asked-${session.session.slice(`${loop.id}-`.length)}-${number}`
  const scratch = commandId(loop, asked)
  const { vcs, settings } = ports
  const limitMs = settings.limitsFor(loop.task).gate
  const commit = await commitToCheck(session, loop, ports, signal)
  try {
    const cwd = await vcs.openScratch(scratch, commit, checkoutNeeds(loop, ports), signal)
    const results: AskedGate[] = []
    for (const [index, gate] of gates.entries()) {
      // Each gate gets a clean checkout, without files that the gate before it left.
      if (index > 0) await vcs.restoreScratch(scratch, commit)
      const id = commandId(loop, `${asked}-${index + 1}`)
      const ran = await runCommand({ id, command: gate.command, cwd, limitMs }, ports, signal)
      results.push(shortened(resultOf(gate, commit, ran)))
    }
    return { kind: 'ran', gates: results }
  } finally {
    await vcs.removeCheckout(scratch)
  }
}

/** A reviewer asks about the tree under review, a developer about the current state of its worktree. */
async function commitToCheck(
  { role, reviewed }: RunningSession,
  loop: Loop,
  { vcs }: Ports,
  signal: AbortSignal,
): Promise<string> {
  const head = recordedHead(loop)
  const tree = role === 'developer' ? await vcs.snapshot(placeOf(loop), signal) : reviewed?.tree
  if (tree === undefined) return head
  return tree === loop.work.head?.tree ? head : await vcs.commitTree(tree, head)
}

/** Keeps the end of a long output, because it says how the gate went. */
function shortened({ name, passed, exitCode, timedOut, output }: Omit<GateResult, 'kind'>): AskedGate {
  const kept =
    output.length <= longestOutput ? output : `[… beginning left out …]\n${output.slice(-longestOutput)}`
  return { name, passed, exitCode, timedOut, output: kept }
}
