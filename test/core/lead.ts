import { decideMove } from '../../src/core/person/move.ts'
import { endlessly, type PersonTurn } from './arbitrary.ts'
import type { World } from './world.ts'

/** A move that is refused changes nothing; after one that is allowed the work goes on where there is any. */
export function lead(world: World, { move, edits, policy, behaviour }: PersonTurn): void {
  const outcome = decideMove(world.loop, move, 'ada')
  if (outcome.kind === 'refused') return
  if (edits) world.editByHand()
  world.append(...outcome.events)
  if (world.loop.standing.status === 'pending') world.claim(policy ?? {}).play(endlessly(behaviour))
}
