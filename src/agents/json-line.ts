import { oneLine } from '../lib/text/printable.ts'
import type { AgentEvent } from './agent.ts'

/** Reads JSON lines printed by other programs: any field may be missing or have another type. */

export type JsonRecord = Record<string, unknown>

/** Null if the line is not one JSON object. */
export function parseJsonLine(line: string): JsonRecord | null {
  if (!line.startsWith('{')) return null
  try {
    const value: unknown = JSON.parse(line)
    return isRecord(value) ? value : null
  } catch {
    return null
  }
}

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** An empty one when there is none. */
export function recordIn(value: unknown): JsonRecord {
  return isRecord(value) ? value : {}
}

export function recordsIn(value: unknown): JsonRecord[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}

/** An empty one when there is none. */
export function textIn(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

export function numberIn(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}

/**
 * An id made up by another program, which will be passed back to it as an argument. It must never look like an option.
 */
export function idIn(value: unknown): string | null {
  return typeof value === 'string' && /^[A-Za-z0-9][\w.-]{0,200}$/.test(value) ? value : null
}

/** What an agent printed that is neither its answer nor a failure, as one line for the transcript. */
export function other(text: string): AgentEvent {
  return { type: 'other', text: oneLine(text, 200) }
}

/** A failed tool call, worded the same for all agents. It is not a failure of the agent, which can continue. */
export function failedTool(...words: string[]): AgentEvent {
  const said = words.filter((text) => text.trim() !== '').join(': ')
  return other(said === '' ? 'a tool call failed' : `a tool call failed: ${said}`)
}
