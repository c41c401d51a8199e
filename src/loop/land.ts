/**
 * Merges approved work into its base: beside everybody's checkout, with the gates on the merged tree, and by
 * compare-and-swap. If the base moved meanwhile, all of it is done again with what the base is then. Killed anywhere
 * in between, the next worker begins anew; what has landed is found to be there.
 */
import type { GateResult, LandOutcome, NewEvent } from '../core/event.ts'
import type { Gate } from '../core/limits.ts'
import type { Loop } from '../core/loop.ts'
import { isUnderWay, waitsForCheckout } from '../core/standing.ts'
import type { Step } from '../core/step.ts'
import type { MergeRequest } from '../vcs/vcs.ts'
import { checkBranch } from './check-branch.ts'
import { checkoutNeeds } from './checkout-needs.ts'
import type { Performed } from './perform.ts'
import { placeOf } from './place-of.ts'
import type { Ports } from './ports.ts'
import { commandId, runCommand } from './run-command.ts'
import { resultOf } from './run-gate.ts'

export async function land(
  step: Step & { do: 'land' },
  loop: Loop,
  ports: Ports,
  signal: AbortSignal,
): Promise<Performed> {
  await checkBranch(loop, ports)
  const checked: GateResult[] = []
  // One after the other: two that are merged at once would only find that the base has moved.
  const outcome = await ports.oneAtATime(async () => {
    signal.throwIfAborted()
    return landNow(step, loop, checked, ports, signal)
  })
  const gates = checked.map((data): NewEvent => ({ type: 'gate.completed', data }))
  return { events: [...gates, { type: 'loop.integrated', data: { outcome, cycle: loop.cycle } }] }
}

async function landNow(
  { sha, gates }: Step & { do: 'land' },
  loop: Loop,
  checked: GateResult[],
  ports: Ports,
  signal: AbortSignal,
): Promise<LandOutcome> {
  const { vcs } = ports
  const place = placeOf(loop)
  const name = `${loop.id}-land.${loop.version}`
  const hookLimitMs = ports.settings.limitsFor(loop.task).gate
  const message = mergeMessage(loop)
  let beside = true
  try {
    for (;;) {
      const also = beside ? await waitingBeside(loop, ports) : []
      const request = { name, head: sha, message, also, hookLimitMs }
      const merged = await vcs.integrate(place, request, checkoutNeeds(loop, ports), signal)
      if (merged.kind === 'contained')
        return { kind: 'landed', commit: merged.base, tree: null, checkout: null }
      if (merged.kind === 'conflict')
        return { kind: 'conflict', between: [place.branch, place.base], files: merged.files }
      if (merged.kind === 'refused') return { kind: 'refused', output: ports.redact(merged.output) }
      const { base, commit, tree, path } = merged
      const results = await runGates(gates, { path, tree, commit, name }, loop, ports, signal)
      checked.push(...results)
      const failed = results.filter((result) => !result.passed)
      if (failed.length > 0 && also.length > 0) {
        // It may be the fault of what waits; then this one lands without it.
        beside = false
        continue
      }
      if (failed.length > 0) return { kind: 'gate', gates: failed.map(failedGate), tree }
      const advanced = await vcs.advanceBase(place, base, commit)
      if (advanced.kind === 'advanced') return { kind: 'landed', commit, tree, checkout: advanced.checkout }
      if (advanced.kind === 'waits') {
        const { checkout, branch, ref, why } = advanced
        return { kind: 'waits', checkout, branch, ref, why }
      }
      signal.throwIfAborted()
    }
  } finally {
    await vcs.removeCheckout(name)
  }
}

/**
 * Approved work that waits for the same checkout. What its journal says counts, not what is on the branch that waits;
 * but of one that somebody is landing just now the journal may not say yet that it has come to wait.
 */
async function waitingBeside({ id, place }: Loop, { archive, vcs }: Ports): Promise<MergeRequest['also']> {
  const also: MergeRequest['also'] = []
  for (const task of await archive.tasks()) {
    if (task.id === id || task.phase !== 'land' || task.base !== place?.base) continue
    const other = await archive.loop(task.id)
    if (!other?.place || !other.head) continue
    const { head } = other
    const waits = isUnderWay(other) ? await vcs.isWaiting(other.place, head.sha) : waitsForCheckout(other)
    if (waits) also.push({ branch: other.place.branch, commit: head.sha, message: mergeMessage(other) })
  }
  return also
}

function mergeMessage(loop: Loop): string {
  return `Merge ${placeOf(loop).branch}: ${loop.task.title}`
}

async function runGates(
  gates: Gate[],
  at: { path: string; tree: string; commit: string; name: string },
  loop: Loop,
  ports: Ports,
  signal: AbortSignal,
): Promise<GateResult[]> {
  const limitMs = ports.settings.limitsFor(loop.task).gate
  const results: GateResult[] = []
  for (const gate of gates) {
    const run = { id: commandId(loop, 'land-gate'), command: gate.command, cwd: at.path, limitMs }
    const ran = await runCommand(run, ports, signal)
    results.push({ ...resultOf(gate, at.tree, ran), kind: gate.kind })
    // What one gate left behind is not what the next one judges.
    await ports.vcs.restoreScratch(at.name, at.commit)
  }
  return results
}

function failedGate({ name, command, exitCode, timedOut, output }: GateResult) {
  return { name, command, exitCode, timedOut, output }
}
