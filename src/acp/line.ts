/**
 * What the program that speaks ACP prints: one JSON object a line, in this one format, whatever agent is behind it.
 * `agents/acp.ts` reads it. A conversation is
 *
 *   session ── delta, thought, tool, plan, usage, refused, note … ── end or failure
 */
export type AcpLine =
  /** The agent's own session id, as soon as there is one. */
  | { type: 'session'; id: string }
  /** A piece of what it says. */
  | { type: 'delta'; text: string }
  /** The pieces before it and those after it are not one text. */
  | { type: 'paragraph' }
  /** A piece of what it thinks. */
  | { type: 'thought'; text: string }
  | { type: 'tool'; name: string; kind: string; text: string }
  | { type: 'plan'; text: string }
  | ({ type: 'usage' } & AcpUsage)
  /** Something that it asked for and did not get. */
  | { type: 'refused'; text: string }
  /** Whatever else a person who reads the log may want to know. */
  | { type: 'note'; text: string }
  /** It is done; `answer` is all that it said after its last tool call. */
  | { type: 'end'; answer: string }
  /**
   * It will give no answer. `by` says who says so: the agent, by the protocol, or this program, about an agent that is
   * gone, say, with whatever stood on its standard error. `code` is the error's of JSON-RPC, where there was one; `login`
   * how a person logs in, in the agent's words; `retry` that another try would come to the same.
   */
  | ({ type: 'failure'; login: string } & Fault)

export interface Fault {
  text: string
  by: 'agent' | 'client'
  code: number | null
  retry: 'never' | null
}

export interface AcpUsage {
  costUsd: number | null
  /** `input` includes `cached`. */
  tokens: { input: number; cached: number; output: number } | null
  model: string | null
  /** All there is so far: of this run alone, or also of earlier runs of a resumed session. */
  counts: 'run' | 'session'
}
