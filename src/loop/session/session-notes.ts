/**
 * An agent that waits for its provider or the network repeats this, sometimes for hours. People are told immediately, and
 * then less and less often.
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

/** Call it each time the agent says what it waits for. */
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
 * Reports that a reviewer did not use its tools: its verdict came in another way, or not at all. Nothing is lost, but a
 * person who relies on the tools wants to know.
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
      : 'its answer contains no readable verdict either'
  const why =
    brokenTools === null
      ? `The reviewer (${agent}) did not call set_loop_review_result`
      : `The session's tools did not work for the reviewer (${agent}: ${brokenTools})`
  return [{ type: 'session.noted', data: { session, about: 'tools', text: `${why}; ${came}.` } }]
}
