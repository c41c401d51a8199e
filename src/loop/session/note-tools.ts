import type { NewEvent } from '../../core/event.ts'
import type { RunningSession } from '../../core/loop.ts'
import type { Judgement } from '../../core/review/verdict.ts'
import type { Report } from './transcript.ts'

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
