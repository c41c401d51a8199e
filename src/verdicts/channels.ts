/** All channels by name, and the one way in which both a loop and `umpire verdict` read a review through them. */
import { type Against, combine, contradiction, type Judgement } from '../core/review/verdict.ts'
import type { Channel, ChannelName, Evidence, ReviewerSetup } from './channel.ts'
import { json } from './json.ts'
import { marker } from './marker.ts'
import { structured } from './structured.ts'
import { submitted } from './submitted.ts'
import { verdictLine } from './verdict-line.ts'

/** The default order, which `auto` stands for. */
export const usualChannels: readonly ChannelName[] = ['tool', 'structured', 'json', 'verdict-line', 'marker']

const builtIn: ReadonlyMap<ChannelName, Channel> = new Map(
  [submitted, structured, json, verdictLine, marker].map((channel) => [channel.name, channel]),
)

/** The name of a built-in channel, or a channel that a program passes in. */
export type ChannelChoice = ChannelName | Channel

/** What the reviewer is told, one text per channel in the configured order. */
export function instructionsFor(
  choices: readonly ChannelChoice[],
  tools: ReviewerSetup['tools'] = 'none',
  witnesses: ReviewerSetup['witnesses'] = 'not run',
): string[] {
  return chosen(choices).flatMap((channel) => {
    const told = channel.instructionFor?.({ tools, witnesses }) ?? channel.instruction
    return told === null ? [] : [told]
  })
}

/** Reads the evidence by every named channel. Names without a channel are skipped, because not every agent supports all. */
export function readReview(evidence: Evidence, choices: readonly ChannelChoice[]): Judgement {
  return combine(
    chosen(choices).map((channel) => ({ channel: channel.name, reading: channel.read(evidence) })),
  )
}

/** The reading that counts: `readReview`, but an approval only if nothing in the review contradicts it. */
export function judge(evidence: Evidence, choices: readonly ChannelChoice[], against: Against): Judgement {
  const judgement = readReview(evidence, choices)
  if (judgement.kind === 'malformed') return judgement
  const why = contradiction(judgement.review, against)
  return why === null ? judgement : { kind: 'malformed', why }
}

/** Whether no channel found anything like a verdict, not even something unreadable. */
export function isSilent(evidence: Evidence, choices: readonly ChannelChoice[]): boolean {
  return chosen(choices).every((channel) => channel.read(evidence).kind === 'silent')
}

function chosen(choices: readonly ChannelChoice[]): Channel[] {
  return choices.flatMap((choice) => (typeof choice === 'string' ? (builtIn.get(choice) ?? []) : choice))
}
