/**
 * An agent that waits for its provider or the network says so again and again, some for hours. People are told at once,
 * and from then on ever more seldom.
 */
import type { Loop, RunningSession } from '../../core/loop.ts'
import { appendBeside } from '../append-beside.ts'
import type { Ports } from '../ports.ts'

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
    await appendBeside(loop, { type: 'session.waiting', data: { session: id, agent, text } }, ports)
  }
}
