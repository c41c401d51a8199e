/** When and how a failed agent run is retried, and when a retry is no use. */
import type { Loop } from '../loop.ts'
import type { LastFailure, Tries } from '../session/session.ts'
import type { FailureClass } from '../task.ts'
import { longestWaitDays, mostLosses, mostWaits } from './fixed-limits.ts'

/** The first words of a failure that choosing another model fixes. */
export const noSuchModel = 'The model is not available'

const longestBackoffMs = 5 * 60_000

/** 2 s, 8 s, 32 s, … */
export function backoffMs(failures: number): number {
  return Math.min(2_000 * 4 ** (failures - 1), longestBackoffMs)
}

/** `whole`: the full prompt. `short`: a shorter form, tried after the full prompt was too long. */
export type PromptForm = 'whole' | 'short'

export type NextTry =
  | { kind: 'try'; notBefore: string | null; prompt: PromptForm }
  | { kind: 'give-up'; reason: FailureClass; detail: string }

/** Whether a limit is used up and its provider says when it ends. Waiting for it does not count as a retry. */
export function isNamedLimit(failure: Pick<LastFailure, 'class' | 'retryAt'>): boolean {
  return failure.class === 'rate_limited' && failure.retryAt !== null
}

/** The agent is not logged in, or the model does not exist. A retry fails until a person has fixed that. */
export function isHopeless({ class: failure, retry }: Pick<LastFailure, 'class' | 'retry'>): boolean {
  return failure === 'auth' || retry === 'never'
}

export function nextTry(tries: Tries, agentRetries: number): NextTry {
  const { failures, losses, tooLong, last } = tries
  if (losses >= mostLosses) {
    return {
      kind: 'give-up',
      reason: 'crash',
      detail: `the agent vanished ${losses} times in a row without a result`,
    }
  }
  const prompt = tooLong > 0 ? 'short' : 'whole'
  if (!last) return { kind: 'try', notBefore: null, prompt }
  const giveUp = (more = ''): NextTry => ({
    kind: 'give-up',
    reason: last.class,
    detail: `${last.detail}${more}`,
  })
  if (isHopeless(last) || failures > agentRetries) return giveUp()
  if (tooLong > 1) return giveUp(' A shorter prompt failed too.')
  if (last.retry === 'shorter') return { kind: 'try', notBefore: null, prompt }
  if (isNamedLimit(last)) {
    const notBefore = endOfLimit(tries, last)
    return notBefore === null ? giveUp(waitedEnough(tries)) : { kind: 'try', notBefore, prompt }
  }
  return { kind: 'try', notBefore: last.retryAt ?? later(last.at, backoffMs(failures)), prompt }
}

/**
 * The time until which Umpire waits for the limit, or null if that is no longer worth it. If a limit names an end only
 * seconds away and is met again and again, Umpire waits longer than the limit asks for.
 */
function endOfLimit({ waits, waitingSince }: Tries, last: LastFailure): string | null {
  const until = [last.retryAt ?? '', later(last.at, backoffMs(waits))].sort().at(-1) ?? ''
  const latest = later(waitingSince ?? last.at, longestWaitDays * 86_400_000)
  return waits > mostWaits || until > latest ? null : until
}

function waitedEnough(tries: Tries): string {
  if (tries.waits > mostWaits) return ` Umpire gave up after waiting ${mostWaits} times in a row.`
  return ` Umpire waits at most ${longestWaitDays} days for a limit.`
}

/** The agent whose limit the loop waits for, and until when. The limit was met by its own session or by a panel's seat. */
export function limitWaitedFor({
  turn: { tries, session, beside },
  standing: { status },
  review: { panel },
}: Pick<Loop, 'turn' | 'standing' | 'review'>): {
  agent: string
  until: string
} | null {
  if (session || (status !== 'in_progress' && status !== 'pending')) return null
  const seats = panel.filter((seat) => !beside.some((running) => running.session === seat.session))
  for (const { last, ...rest } of [tries, ...seats.map((seat) => seat.tries)]) {
    const until = last && isNamedLimit(last) ? endOfLimit({ ...rest, last }, last) : null
    if (last && until !== null) return { agent: last.agent, until }
  }
  return null
}

export function later(at: string, ms: number): string {
  return new Date(Date.parse(at) + ms).toISOString()
}
