/**
 * PORT: a channel is a way by which a reviewer's verdict reaches Umpire. It owns both ends: the instruction for the
 * reviewer, and the reading of its answer. A channel that finds nothing is silent, and silence never approves.
 */
import type { Reading } from '../core/review/review.ts'

export interface Channel<Name extends string = string> {
  readonly name: Name
  /**
   * What the reviewer is told in its prompt, or null if it has nothing to do. The instruction must not itself read as a
   * verdict: an agent that only echoes its prompt has not reviewed anything.
   */
  readonly instruction: string | null
  /** Replaces `instruction` if the words depend on the reviewer's tools and on what it is asked for. */
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
  /** The answer of an agent that had to follow the review's JSON Schema, as JSON text. */
  structured?: string | null
}
