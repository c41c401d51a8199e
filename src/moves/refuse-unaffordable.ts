/**
 * Refuses a person's own step before it starts, if the budget does not allow it. Once started, the step would change the
 * state of the task, so that an approval is lost, and then only wait for money.
 */

import { PersonNeededError } from '../core/errors.ts'
import type { Loop } from '../core/loop.ts'
import { decideMove, type Move } from '../core/person/move.ts'
import { calendarDay, decideTogether } from '../core/schedule/budget.ts'
import { unaffordable } from '../core/schedule/park.ts'
import type { Ports } from '../loop/ports.ts'

type Paying = Pick<Ports, 'settings' | 'spending' | 'clock'>

export async function refuseUnaffordable(
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
