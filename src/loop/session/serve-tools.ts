/**
 * Serves the tools of a running session: runs gates for the agent, and records its progress reports. Requests that came
 * while no worker was running are served by the worker that adopts the session. Requests are served one at a time, in order.
 */
import { UserError, VcsError } from '../../core/errors.ts'
import type { Loop } from '../../core/loop.ts'
import { mostToolRequests } from '../../core/policy/fixed-limits.ts'
import type { RunningSession } from '../../core/session/session.ts'
import { type GateAnswer, parseToolRequest } from '../../core/session/tool-request.ts'
import { sha256 } from '../../lib/text/sha256.ts'
import { runAskedGates } from '../check/run-gates.ts'
import type { Ports } from '../ports.ts'
import { recordWhileHeld } from '../record.ts'

export interface ToolService {
  /** Whether the agent waits for an answer. */
  isAwaiting(): boolean
  /** Stops running gates and records all reports so far. Throws an error that happened meanwhile. */
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
      // The agent no longer waits for the answer.
      if (!ends.aborted) throw error
    } finally {
      awaited = false
    }
  }

  /** A request that a worker recorded just before it died comes a second time. */
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
    const text = `The ${session.role} asked for gates: ${results}`
    await recordWhileHeld(loop, { type: 'session.noted', data: { session: id, about: 'gate', text } }, ports)
  }

  const serving = serve()
  // An error is thrown when the server is closed, not in the middle of something else.
  serving.catch(() => {})
  return {
    isAwaiting: () => awaited,
    async close() {
      ending.abort()
      await serving
    },
  }
}

/** An error that a person can fix is reported to the agent, which can continue without the gate. */
function refusal(error: unknown): GateAnswer {
  if (!(error instanceof VcsError) && !(error instanceof UserError)) throw error
  return { kind: 'refused', why: `The gate could not be run: ${error.message}` }
}
