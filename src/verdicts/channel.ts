/**
 * PORT: a channel is a way by which a reviewer's verdict reaches us. It owns both ends: what the reviewer is told to
 * do, and the reading of what it did. A channel that finds nothing is silent; silence never approves.
 */
import type { Reading } from '../core/review/review.ts'

export interface Channel<Name extends string = string> {
  readonly name: Name
  /**
   * Told to the reviewer, in its prompt; null when there is nothing it has to do. It must not itself read as a
   * verdict: an agent that only echoes its prompt has not reviewed anything.
   */
  readonly instruction: string | null
  /** Told instead, where it depends on what the reviewer has and is asked for. */
  instructionFor?(asked: ReviewerSetup): string
  read(evidence: Evidence): Reading
}

export interface ReviewerSetup {
  /** Whether the reviewer has the tools of its session. */
  tools: 'none' | 'mcp'
  /** Whether the witnesses of issues are run. */
  witnesses: 'run' | 'not run'
}

export const channelNames = ['tool', 'structured', 'json', 'verdict-line', 'marker', 'parser'] as const
export type ChannelName = (typeof channelNames)[number]

export interface Evidence {
  /** The reviewer's whole final answer. */
  answer: string
  /** Bodies handed in under the session's valid token, oldest first. */
  handedIn: string[]
  /** The answer of an agent that was held to the review's JSON Schema, as JSON text. */
  structured?: string | null
}
