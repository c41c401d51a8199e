/** Loops on which a person takes a step by hand, and what the step costs. */
import type { Move } from '../../src/core/person/move.ts'
import { requests } from './turns.ts'
import { World } from './world.ts'

export const gates = [{ name: 'test', command: 'npm test', kind: 'gate' as const }]
export const improve = (given: { note?: string; text?: string } = {}): Move => ({
  kind: 'improve',
  note: given.note ?? null,
  text: given.text ?? null,
})

export const unreviewed = () => new World({ reviewed: false }).play()
export const awaiting = () => new World({ trigger: 'explicit' }).play()
export const capped = () =>
  new World({ maxCycles: 1 }).play({ reviewer: [requests({ description: 'It leaks.' })] })

/** How many sessions of each role a step took. */
export function cost(world: World, step: (world: World) => void): { developer: number; reviewer: number } {
  const count = () => [world.sessions('developer').length, world.sessions('reviewer').length] as const
  const [developers, reviewers] = count()
  step(world)
  const [now, nowReviewers] = count()
  return { developer: now - developers, reviewer: nowReviewers - reviewers }
}
