/** Waits until whoever attends the session has run the gates, and puts the result into words. */
import { awaitAnswer } from '../attempts/requests.ts'
import type { AskedGate, GateAnswer } from '../core/session/tool-request.ts'
import type { ToolAnswer } from './tool-answer.ts'

export async function awaitGates(
  attempts: string,
  session: string,
  number: number,
  signal: AbortSignal,
): Promise<ToolAnswer> {
  const text = await awaitAnswer(attempts, session, number, signal)
  if (text === null) return { kind: 'refused', text: 'The session ended before the gate did.' }
  const answer: GateAnswer = JSON.parse(text)
  if (answer.kind === 'refused') return { kind: 'refused', text: answer.why }
  return { kind: 'done', text: answer.gates.map(told).join('\n\n') }
}

function told({ name, passed, exitCode, timedOut, output }: AskedGate): string {
  const how = timedOut ? 'ran out of time' : `${passed ? 'passed' : 'failed'} (exit code ${exitCode})`
  const words = output.trim() === '' ? 'It printed nothing.' : `What it printed:\n${output.trimEnd()}`
  return `Gate ${JSON.stringify(name)} ${how}. ${words}`
}
