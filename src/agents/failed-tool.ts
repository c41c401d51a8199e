import { oneLine } from '../lib/text/printable.ts'
import type { AgentEvent } from './agent.ts'

/** A tool call that came to nothing. The same words for all agents; no failure of the agent's, which can go on. */
export function failedTool(...words: string[]): AgentEvent {
  const said = words.filter((text) => text.trim() !== '').join(': ')
  return {
    type: 'other',
    text: oneLine(said === '' ? 'a tool call failed' : `a tool call failed: ${said}`, 200),
  }
}
