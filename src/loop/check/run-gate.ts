/** Gates are facts: Umpire runs them itself, on the exact tree, and removes the files they leave behind. */

import type { GateResult } from '../../core/event.ts'
import type { Loop } from '../../core/loop.ts'
import type { Gate } from '../../core/policy/policy.ts'
import type { Step } from '../../core/step.ts'
import type { Performed } from '../performed.ts'
import { placeOf, recordedHead } from '../place-of.ts'
import type { Ports } from '../ports.ts'
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
