/**
 * What the tools of a session ask of the worker that attends it. The agent can write such a request itself, so each one is
 * parsed as untrusted text, and both sides limit how many are served.
 */
export type ToolRequest =
  /** Run this gate of the task, or all of them, on the files that the agent works on. */
  { ask: 'gate'; name: string | null } | { ask: 'progress'; message: string }

/** The name by which agents know the server of their session's tools. */
export const toolServerName = 'umpire'

const longestMessage = 500

export function parseToolRequest(text: string): ToolRequest | null {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null
  }
  if (typeof value !== 'object' || value === null || !('ask' in value)) return null
  if (value.ask === 'gate') {
    const name = 'name' in value ? value.name : null
    return name === null || typeof name === 'string' ? { ask: 'gate', name } : null
  }
  if (value.ask !== 'progress' || !('message' in value) || typeof value.message !== 'string') return null
  const message = inOneLine(value.message, longestMessage)
  return message === '' ? null : { ask: 'progress', message }
}

/** Shortens an agent's words so that they fit on one line. */
export function inOneLine(text: string, longest: number): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length <= longest ? line : `${line.slice(0, longest - 1)}…`
}

/** The answer to a request for gates. */
export type GateAnswer = { kind: 'ran'; gates: AskedGate[] } | { kind: 'refused'; why: string }

/** What an agent is told if it named a gate that does not exist. */
export function noSuchGate(name: string | null, gates: { name: string }[]): string {
  if (gates.length === 0) return 'This task has no gates.'
  const names = gates.map((gate) => JSON.stringify(gate.name)).join(', ')
  return `There is no gate ${JSON.stringify(name)}. The gates of this task: ${names}.`
}

export interface AskedGate {
  name: string
  passed: boolean
  exitCode: number | null
  timedOut: boolean
  /** The end of the gate's output. */
  output: string
}
