/**
 * PORT: one of the model APIs that the agents speak. A wire reads a request into a conversation and writes an answer
 * the way its API streams it. The script decides what the answer is.
 */
import { type JsonRecord, recordsIn, textIn } from '../../src/agents/json-line.ts'

export interface Wire {
  readonly name: string
  /** The requested model if this API's agent asks for an answer here; null if not. */
  modelIn(path: string, body: Json): string | null
  read(body: Json): Conversation
  /** Calls to the two tools that every agent has, by their names in this API, even if not offered, so tests can try. */
  writing(path: string, content: string, offered: string[]): Call
  running(command: string, offered: string[]): Call
  /** The events of a streamed answer. A broken one stops before the last of them. */
  stream(answer: Answer, ask: Ask): string[]
  /** The same answer to a request without streaming. */
  whole(answer: Answer, ask: Ask): Json
  refusal(status: number): Json
}

export type Json = JsonRecord

export interface Conversation {
  system: string
  turns: Turn[]
  /** The names of the tools that are offered. */
  tools: string[]
  /** The group of each tool, for the API that has groups. */
  groups: Record<string, string>
  /** The schema that the answer must conform to. */
  schema: Json | null
}

export type Turn = { who: 'user'; text: string } | { who: 'model' } | { who: 'tool'; result: string }

export type Answer = { text: string } | Call

/** `input` is text for a tool that takes free text. */
export interface Call {
  tool: string
  input: Record<string, unknown> | string
}

export interface Ask {
  id: string
  model: string
  conversation: Conversation
}

/** The token usage that every answer claims. */
export const usage = { input: 1000, output: 50 }

/** Content is a text, or parts that contain texts. */
export function textOf(content: unknown): string {
  return typeof content === 'string'
    ? content
    : recordsIn(content)
        .map((part) => textIn(part.text))
        .join('\n')
}

export function inTwo(text: string): string[] {
  const half = text.length >> 1
  return [text.slice(0, half), text.slice(half)]
}

export function sentEvent(type: string, data: Json): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`
}

export function sentData(data: Json): string {
  return `data: ${JSON.stringify(data)}\n\n`
}
