/** Makes a person's own step and waits until it is done, by this process or by another one that claimed the task first. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Engine } from '../app/engine.ts'
import type { Given } from '../app/read-config.ts'
import type { Repository } from '../app/repository.ts'
import { PersonNeededError } from '../core/errors.ts'
import type { Loop } from '../core/loop.ts'
import { decideMove, type Move } from '../core/person/move.ts'
import { calendarDay, decideTogether } from '../core/schedule/budget.ts'
import { unaffordable } from '../core/schedule/out-of-budget.ts'
import { isUnderWay } from '../core/standing.ts'
import type { Ports } from '../loop/ports.ts'
import type { Store } from '../store/store.ts'
import { checkMerges, refuseCarrier } from './check-merges.ts'
import { headOf, type MoveOptions, makeMove } from './make-move.ts'

export interface Hands {
  engine: Engine
  store: Store
  repository: Repository
  given?: Given
}

export async function stepByHand(id: number, move: Move, hands: Hands, signal: AbortSignal): Promise<Loop> {
  const { engine, store, repository } = hands
  await refuseUnaffordable(await store.archive.loop(id), move, engine.ports)
  const before = await makeMove(id, move, store, repository, optionsOf(hands))
  const options = { only: [id], parallel: 1, watch: false, effort: null }
  for (;;) {
    const { worked } = await engine.work(options, signal)
    const [done] = worked
    const loop = done ?? (await whileHeldElsewhere(before, hands, signal))
    // The other process may have died or given up half-way. Then this process tries again.
    if (!isUnderWay(loop.standing) || signal.aborted) return loop
  }
}

/**
 * Merges several tasks that passed `checkMerges`, together as far as possible. A task whose branch includes unapproved
 * work of another one of them is merged after that one.
 */
export async function mergeByHand(
  loops: Loop[],
  move: Move & { kind: 'merge' },
  hands: Hands,
  signal: AbortSignal,
): Promise<Loop[]> {
  const { store, repository } = hands
  const named = loops.map(({ id }) => id)
  const moved = new Map<number, Loop>()
  let left = loops
  while (left.length > 0 && !signal.aborted) {
    const next = await listFirst(left, named, hands)
    // The earlier merges may have taken long, and a person may have changed something meanwhile.
    if (moved.size > 0) await checkMerges(next, named, move, store, repository)
    for (const loop of await mergeTogether(next, move, hands, signal)) moved.set(loop.id, loop)
    const others = left.filter(({ id }) => !moved.has(id))
    left = (await Promise.all(others.map(({ id }) => store.archive.loop(id)))).filter((loop) => loop !== null)
  }
  return named.flatMap((id) => moved.get(id) ?? [])
}

/** The tasks that can be merged first, because they need none of the others. */
async function listFirst(left: Loop[], named: number[], { store, repository }: Hands): Promise<Loop[]> {
  const first: Loop[] = []
  for (const loop of left) {
    const before = await refuseCarrier(loop, named, store, repository)
    if (!before.some((other) => left.some(({ id }) => id === other))) first.push(loop)
  }
  return first.length > 0 ? first : left
}

async function mergeTogether(
  loops: Loop[],
  move: Move & { kind: 'merge' },
  hands: Hands,
  signal: AbortSignal,
): Promise<Loop[]> {
  const { engine, store, repository } = hands
  const before: Loop[] = []
  for (const loop of loops)
    before.push(
      await makeMove(loop.id, { ...move, checked: headOf(loop) }, store, repository, optionsOf(hands)),
    )
  const moved = new Map<number, Loop>()
  let left = loops.map(({ id }) => id)
  while (left.length > 0) {
    engine.ports.landings.expect(left, async (id) => isComing(await store.archive.loop(id)))
    const options = { only: left, parallel: left.length, watch: false, effort: null }
    const { worked } = await engine.work(options, signal)
    for (const loop of worked) moved.set(loop.id, loop)
    for (const loop of before) {
      if (left.includes(loop.id) && !worked.some(({ id }) => id === loop.id))
        moved.set(loop.id, await whileHeldElsewhere(loop, hands, signal))
    }
    left = signal.aborted
      ? []
      : left.filter((id) => isUnderWay(moved.get(id)?.standing ?? { status: 'pending' }))
  }
  return before.map((loop) => moved.get(loop.id) ?? loop)
}

/** The observer of the run sees the events of the move as well. */
function optionsOf({ engine, given }: Hands): MoveOptions {
  return { ...given, observe: engine.ports.observe }
}

/** Whether the task is probably on its way to the merge queue. */
function isComing(loop: Loop | null): boolean {
  return loop !== null && isUnderWay(loop.standing) && loop.turn.phase === 'land'
}

const lookEveryMs = 300

/** Waits until the task rests, or until no process works on it any more. */
async function whileHeldElsewhere(
  before: Loop,
  { engine, store }: Hands,
  signal: AbortSignal,
): Promise<Loop> {
  for (;;) {
    // The holders are read before the task, because a holder writes the outcome before it releases the task.
    const held = (await engine.holders()).has(before.id)
    const loop = (await store.archive.loop(before.id)) ?? before
    if (!isUnderWay(loop.standing) || !held || signal.aborted) return loop
    await sleep(lookEveryMs)
  }
}

type Paying = Pick<Ports, 'settings' | 'spending' | 'clock'>

/**
 * Refuses a person's own step before it starts, if the budget does not allow it. Once started, the step would change the
 * state of the task, so that an approval is lost, and then only wait for money.
 */
async function refuseUnaffordable(
  loop: Loop | null,
  move: Move,
  { settings, spending, clock }: Paying,
): Promise<void> {
  // A move that is refused anyway has a better reason. A merge needs no session, unless there is a conflict.
  if (!loop || (move.kind !== 'review' && move.kind !== 'improve')) return
  if (decideMove(loop, move, '').kind === 'refused') return
  const role = move.kind === 'review' ? 'reviewer' : 'developer'
  const seats = role === 'reviewer' ? settings.policyFor(loop.task).seats : 1
  const asked = []
  for (let seat = 1; seat <= seats; seat += 1) {
    const { agent, model } = settings.cast(role, loop.task, seat)
    const day = calendarDay(clock.now())
    const request = {
      role,
      agent: agent.name,
      model,
      limits: settings.budget,
      task: loop.id,
      run: null,
      day,
    } as const
    asked.push(await spending.estimate(request))
  }
  const refused = decideTogether(asked)
  if (refused?.kind !== 'refused') return
  const { why, fix } = unaffordable(role, refused.usd, refused.short)
  throw new PersonNeededError(why, fix)
}
