/** Makes a person's own step and sees it carried out, by this process or by another one that was quicker. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Loop } from '../core/loop.ts'
import type { Move } from '../core/person.ts'
import { isUnderWay } from '../core/standing.ts'
import type { Store } from '../store/store.ts'
import type { Engine, Given } from './engine.ts'
import { makeMove } from './moves.ts'
import type { Repository } from './repository.ts'

export interface Hands {
  engine: Engine
  store: Store
  repository: Repository
  given?: Given
}

export async function stepByHand(id: number, move: Move, hands: Hands, signal: AbortSignal): Promise<Loop> {
  const { engine, store, repository, given } = hands
  const before = await makeMove(id, move, store, repository, given)
  const options = { only: [id], parallel: 1, watch: false, effort: null }
  for (;;) {
    const { worked } = await engine.work(options, signal)
    const [done] = worked
    const loop = done ?? (await whileHeldElsewhere(before, hands, signal))
    // Whoever was quicker may have died or given up half-way; then it is this process's again.
    if (!isUnderWay(loop) || signal.aborted) return loop
  }
}

const lookEveryMs = 300

/** The task as it is when it rests, or when nobody works on it any more. */
async function whileHeldElsewhere(
  before: Loop,
  { engine, store }: Hands,
  signal: AbortSignal,
): Promise<Loop> {
  for (;;) {
    // Asked before the task is read, because the holder writes how it ended before it lets go.
    const held = (await engine.holders()).has(before.id)
    const loop = (await store.archive.loop(before.id)) ?? before
    if (!isUnderWay(loop) || !held || signal.aborted) return loop
    await sleep(lookEveryMs)
  }
}
