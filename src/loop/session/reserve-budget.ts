/** Reserves money for a session before it starts. If the budget is used up, the loop is parked; running sessions continue. */
import type { NewEvent } from '../../core/event.ts'
import type { Loop } from '../../core/loop.ts'
import { calendarDay, refusalOf } from '../../core/schedule/budget.ts'
import { parkedEvent } from '../../core/schedule/out-of-budget.ts'
import type { Role } from '../../core/session/session.ts'
import type { Ports } from '../ports.ts'

export type Reserved =
  /** `events` tell the person about it. */
  | { kind: 'granted'; usd: number; events: NewEvent[] }
  /** The last of `events` parks the loop. */
  | { kind: 'refused'; events: NewEvent[] }

export interface WhatFor {
  session: string
  role: Role
  agent: string
  model: string | null
}

export async function reserveBudget(what: WhatFor, loop: Loop, ports: Ports): Promise<Reserved> {
  const { spending, settings, clock } = ports
  const { grant, warnings, withoutOwn } = await spending.reserve({
    ...what,
    limits: settings.budget,
    task: loop.id,
    run: loop.claim?.run ?? null,
    worker: loop.claim?.worker ?? '',
    day: calendarDay(clock.now()),
  })
  const events = warnings.map((data): NewEvent => ({ type: 'budget.warned', data }))
  if (grant.kind === 'granted') return { kind: 'granted', usd: grant.usd, events }
  const { usd, short } = grant
  const refusal = refusalOf(what.role, usd, short, withoutOwn)
  return { kind: 'refused', events: [...events, parkedEvent(loop, refusal, short)] }
}
