/** Merges a loop's work into its base, or into the branch of its group, together with whoever wants to land there too. */
import type { NewEvent } from '../../core/event.ts'
import type { Loop } from '../../core/loop.ts'
import { landsOn } from '../../core/standing.ts'
import type { Step } from '../../core/step.ts'
import { checkBranch } from '../check/check-branch.ts'
import type { Performed } from '../perform.ts'
import type { Ports } from '../ports.ts'

export async function land(
  { sha, gates }: Step & { do: 'land' },
  loop: Loop,
  ports: Ports,
  signal: AbortSignal,
): Promise<Performed> {
  await checkBranch(loop, ports)
  const into = landsOn(loop)
  if (into === null) throw new Error(`loop ${loop.id} has no place yet`)
  const { outcome, checked } = await ports.landings.ask({
    task: loop.id,
    into,
    loop,
    sha,
    gates,
    ports,
    signal,
  })
  const events = checked.map((data): NewEvent => ({ type: 'gate.completed', data }))
  return { events: [...events, { type: 'loop.integrated', data: { outcome, cycle: loop.cycle } }] }
}
