/**
 * An agent that waits for its provider or the network says so again and again, some for hours. People are told at once,
 * and from then on ever more seldom.
 */

import type { NewEvent } from '../../core/event.ts'
import type { Loop } from '../../core/loop.ts'
import type { Judgement } from '../../core/review/verdict.ts'
import type { RunningSession } from '../../core/session/session.ts'
import type { Ports } from '../ports.ts'
import { recordWhileHeld } from '../record.ts'
import type { Report } from './transcript.ts'

const firstPauseMs = 30_000
const longestPauseMs = 8 * 60_000

/** To be called with what the agent says that it waits for, as often as it says so. */
export function createWaitingTeller(session: RunningSession, loop: Loop, ports: Ports) {
  let quietUntil = Number.NEGATIVE_INFINITY
  let pause = firstPauseMs
  return async (said: string): Promise<void> => {
    const now = ports.clock.now().getTime()
    if (now < quietUntil) return
    quietUntil = now + pause
    pause = Math.min(2 * pause, longestPauseMs)
    const { session: id, agent } = session
    const text = ports.redact(said)
    await recordWhileHeld(loop, { type: 'session.waiting', data: { session: id, agent, text } }, ports)
  }
}

/**
 * Says that a reviewer's tools were of no use to it: its verdict came in another way, or not at all. Nothing is lost by
 * that, but somebody who relies on the tool wants to know.
 */
export function noteUnusedTools(
  { session, agent, tools = [] }: RunningSession,
  handedIn: number,
  { brokenTools }: Report,
  judged: Judgement,
): NewEvent[] {
  if (!tools.includes('set_loop_review_result') || handedIn > 0) return []
  const came =
    judged.kind === 'review'
      ? `the verdict was read from its answer (${judged.channel})`
      : 'its answer holds no readable verdict either'
  const why =
    brokenTools === null
      ? `The reviewer (${agent}) did not call set_loop_review_result`
      : `The session's tools did not work for the reviewer (${agent}: ${brokenTools})`
  return [{ type: 'session.noted', data: { session, about: 'tools', text: `${why}; ${came}.` } }]
}
