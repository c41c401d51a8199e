/**
 * The channel for reviews in plain words: a second agent turns them into a structured review. Its result must follow the
 * rules for every review and one more: it can't approve if the reviewer's own words speak against that. The parser comes
 * after all other channels, whatever its place among them, and only if none of them found anything.
 */
import type { Against } from '../core/review/verdict.ts'
import type { Evidence } from './channel.ts'
import { type ChannelChoice, isSilent, judge } from './channels.ts'
import { ownWords, withoutBom } from './text/own-words.ts'

/** What a reviewer is told if it has no other way to give its verdict. */
export const freeForm = `Write your review in your own words, and say plainly at its end which of the four verdicts it is. Another agent
that knows nothing but your text turns it into the form that is kept, so say of every issue where it is and whether it blocks.`

/** The channels by which the parser's own answer is read, whichever channels a reviewer may use. */
export const parserChannels: readonly ChannelChoice[] = [
  'tool',
  'structured',
  'json',
  'verdict-line',
  'marker',
]

/** A longer text is not a review in plain words but something else. */
export const longestParsed = 200_000

/** Whether a parser should read the answer: no channel found anything in it, and it is not empty. */
export function isForParser(evidence: Evidence, choices: readonly ChannelChoice[]): boolean {
  const { length } = evidence.answer.trim()
  return choices.includes('parser') && length > 0 && length <= longestParsed && isSilent(evidence, choices)
}

/** Why the words of a review can't be an approval, or null. They may say another verdict, or be unreadable as one. */
export function speaksAgainst(text: string, against: Against): string | null {
  const evidence = { answer: text, handedIn: [] }
  if (!isSilent(evidence, textChannels)) {
    const own = judge(evidence, textChannels, against)
    if (own.kind === 'malformed') return own.why
    if (own.review.verdict !== 'APPROVED') return `it says ${own.review.verdict}`
  }
  for (const { text: line, place } of ownWords(withoutBom(text))) {
    const found = place === 'quoted' ? null : (verdictWord.exec(line) ?? refusal.exec(line))
    if (found) return `it says ${JSON.stringify(found[0])}`
  }
  return null
}

const textChannels: readonly ChannelChoice[] = ['json', 'verdict-line', 'marker']

/** In capitals, as in the prompt, the word is meant as a verdict. In lower case it may be an ordinary word. */
const verdictWord =
  /\b(?:CHANGES[_ ]REQUESTED|NEEDS[_ ](?:DISCUSSION|REVISION)|REJECTED|DISAPPROVED)\b|\bFEEDBACK:/

const refusal =
  /\b(?:changes_requested|needs_discussion|needs_revision|disapproved?|not[_ ](?:yet )?approved?|(?:can|won|don|doesn|wouldn)['’]t approve|cannot approve)\b/i
