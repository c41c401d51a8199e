/**
 * Serves what the tools of a running session ask for: gates that are run for the agent, and reports of how far it is. What
 * was asked while no worker was there is served by the one that adopts the session. One thing at a time, in order.
 */

import { UserError, VcsError } from '../../core/errors.ts'
import type { Loop } from '../../core/loop.ts'
import { mostToolRequests } from '../../core/policy/caps.ts'
import type { RunningSession } from '../../core/session/session.ts'
import { type GateAnswer, parseToolRequest } from '../../core/session/tool-request.ts'
import { sha256 } from '../../lib/text/sha256.ts'
import { runAskedGates } from '../check/run-asked-gates.ts'
import type { Ports } from '../ports.ts'
import { recordWhileHeld } from '../record.ts'

export interface ToolService {
  /** Whether the agent waits for an answer. */
  isAwaiting(): boolean
  /** Ends what still runs and takes in what was reported until now. Throws what went wrong meanwhile. */
  close(): Promise<void>
}

export function serveTools(
  session: RunningSession,
  loop: Loop,
  ports: Ports,
  signal: AbortSignal,
): ToolService {
  const ending = new AbortController()
  const ends = AbortSignal.any([signal, ending.signal])
  const { attempts } = ports
  const id = session.session
  let awaited = false

  async function serve(): Promise<void> {
    for await (const { number, token, body } of attempts.asked(id, ends)) {
      const request = parseToolRequest(body)
      if (request === null || number > mostToolRequests || sha256(token) !== session.tokenHash) continue
      if (request.ask === 'progress') await noteProgress(number, ports.redact(request.message))
      else if (!ends.aborted) await serveGates(number, request.name)
    }
  }

  async function serveGates(number: number, name: string | null): Promise<void> {
    awaited = true
    try {
      const answer = await runAskedGates({ session, number, name }, loop, ports, ends).catch(refusal)
      await attempts.answer(id, number, JSON.stringify(answer))
      if (answer.kind === 'ran') await noteGates(answer)
    } catch (error) {
      // Nobody waits any more.
      if (!ends.aborted) throw error
    } finally {
      awaited = false
    }
  }

  /** A request that a worker took in just before it died comes a second time. */
  async function noteProgress(request: number, text: string): Promise<void> {
    await recordWhileHeld(
      loop,
      ({ turn: { session: main, beside } }) => {
        const now = [main, ...beside].find((other) => other?.session === id)
        if (!now || (now.progress?.request ?? 0) >= request) return null
        return { type: 'session.noted', data: { session: id, about: 'progress', text, request } }
      },
      ports,
    )
  }

  async function noteGates({ gates }: GateAnswer & { kind: 'ran' }): Promise<void> {
    const results = gates.map((gate) => `${gate.name} ${gate.passed ? 'passed' : 'failed'}`).join(', ')
    const text = `The ${session.role} had gates run: ${results}`
    await recordWhileHeld(loop, { type: 'session.noted', data: { session: id, about: 'gate', text } }, ports)
  }

  const serving = serve()
  // Told when it is closed, not as a surprise in between.
  serving.catch(() => {})
  return {
    isAwaiting: () => awaited,
    async close() {
      ending.abort()
      await serving
    },
  }
}

/** What a person could mend is told to the agent, who can go on without the gate. */
function refusal(error: unknown): GateAnswer {
  if (!(error instanceof VcsError) && !(error instanceof UserError)) throw error
  return { kind: 'refused', why: `The gate could not be run: ${error.message}` }
}
