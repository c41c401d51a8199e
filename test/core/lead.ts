import { decideMove } from '../../src/core/person/move.ts'
import { endlessly, type PersonTurn } from './arbitrary.ts'
import type { World } from './world.ts'

/** A refused move changes nothing. After an allowed one the loop continues, if there is work to do. */
export function lead(world: World, { move, edits, policy, behaviour }: PersonTurn): void {
  const outcome = decideMove(world.loop, move, 'ada')
  if (outcome.kind === 'refused') return
  if (edits) world.editByHand()
  world.append(...outcome.events)
  if (world.loop.standing.status === 'pending') world.claim(policy ?? {}).play(endlessly(behaviour))
}
