/**
 * Runs the gates that an agent asks for with `run_gate`, in a scratch checkout. Their result goes only to the agent and
 * decides nothing: the loop's own gates still have to pass.
 */

import type { GateResult } from '../../core/event.ts'
import type { Loop } from '../../core/loop.ts'
import type { RunningSession } from '../../core/session/session.ts'
import { type AskedGate, type GateAnswer, noSuchGate } from '../../core/session/tool-request.ts'
import { placeOf, recordedHead } from '../place-of.ts'
import type { Ports } from '../ports.ts'
import { checkoutNeeds } from './checkout-needs.ts'
import { commandId, runCommand } from './run-command.ts'
import { resultOf } from './run-gate.ts'

export interface AskedFor {
  session: RunningSession
  /** The number of the request. */
  number: number
  /** The gates to run; all gates if none is named. */
  name: string | null
}

const longestOutput = 8_000

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
