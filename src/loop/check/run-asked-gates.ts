/**
 * Gates that an agent asks for by `run_gate`, run by the harness like its own, but in a scratch checkout and without any
 * weight: what they say is told to the agent, and the loop's own gates still have to pass.
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
  /** All of them, when none is named. */
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

  // A name for each holding, so that a worker that was taken over does not clear away its successor's.
  // And for each session: those that run at the same time count their requests alike.
  const asked = `asked-${session.session.slice(`${loop.id}-`.length)}-${number}`
  const scratch = commandId(loop, asked)
  const { vcs, settings } = ports
  const limitMs = settings.limitsFor(loop.task).gate
  const commit = await commitToCheck(session, loop, ports, signal)
  try {
    const cwd = await vcs.openScratch(scratch, commit, checkoutNeeds(loop, ports), signal)
    const results: AskedGate[] = []
    for (const [index, gate] of gates.entries()) {
      // None finds what the one before it left behind.
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

/** A reviewer asks about the tree under review, a developer about what lies in its worktree at this moment. */
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

/** The end is what tells how it went. */
function shortened({ name, passed, exitCode, timedOut, output }: Omit<GateResult, 'kind'>): AskedGate {
  const kept =
    output.length <= longestOutput
      ? output
      : `[… the beginning is left out …]\n${output.slice(-longestOutput)}`
  return { name, passed, exitCode, timedOut, output: kept }
}
