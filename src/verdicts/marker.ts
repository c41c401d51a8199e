/**
 * The oldest protocol: the word APPROVED as a paragraph of its own, or a paragraph that begins with FEEDBACK: and runs to
 * the end. Both words count only in capitals. A paragraph is the text between blank lines.
 */
import type { Reading } from '../core/review/review.ts'
import { type Channel, type ChannelName, oneReading } from './channel.ts'
import { plainReview } from './shape/parse-review.ts'
import { isBlank, ownWords, withoutBom } from './text/own-words.ts'

export const marker: Channel<ChannelName> = {
  name: 'marker',
  instruction: `If the work may be merged as it is, write the one word \`APPROVED\`, in capitals and with nothing else next to it, as a
paragraph of its own (an empty line before and after it). Otherwise start a paragraph with \`FEEDBACK:\` and write behind it,
to the end of your answer, everything that must change. Never both.`,
  read: ({ answer }) => readMarker(withoutBom(answer)),
}

function readMarker(text: string): Reading {
  if (!/APPROVED|FEEDBACK|REQUESTED|DISCUSSION|REJECTED/.test(text)) return { kind: 'silent' }
  const readings = new Map<Sign, Reading>()
  /** The sign on a line that opened a paragraph. It counts only if the next line is blank. */
  let lone: Sign | null = null
  let previous = ''
  for (const line of ownWords(text)) {
    if (lone && isBlank(line.text)) readings.set(lone, readingOf(lone, text))
    lone = null
    const opens = isBlank(previous)
    previous = line.text
    if (line.place === 'quoted') continue
    const sign = signOn(line.text)
    if (sign === 'feedback' && opens && line.place === 'own') {
      if (!readings.has(sign)) readings.set(sign, readFeedback(text.slice(line.start + 'FEEDBACK:'.length)))
    } else if (sign === 'feedback' || sign === 'near feedback') {
      readings.set('near feedback', readingOf('near feedback', text))
    } else if (opens && (line.place === 'own' || sign === 'refusal')) lone = sign
  }
  if (lone) readings.set(lone, readingOf(lone, text))
  return oneReading([...readings.values()])
}

type Sign = 'approved' | 'feedback' | 'near feedback' | 'refusal'

function signOn(line: string): Sign | null {
  if (/^APPROVED[ \t]*$/.test(line)) return 'approved'
  if (line.startsWith('FEEDBACK:')) return 'feedback'
  if (/^[^A-Za-z]{1,20}FEEDBACK[*_]*:/.test(line)) return 'near feedback'
  return line.length < 100 && refusal.test(line) ? 'refusal' : null
}

/** Verdicts that are not markers. They decide nothing here, but an approval next to one does not count. */
const refusal =
  /^[^A-Za-z]*(?:NOT APPROVED|DISAPPROVED|CHANGES[_ ]REQUESTED|NEEDS[_ ]DISCUSSION|REJECTED)[^A-Za-z]*$/

function readingOf(sign: Sign, text: string): Reading {
  if (sign === 'approved') return { kind: 'review', review: plainReview('APPROVED', text.trim()) }
  const why =
    sign === 'refusal'
      ? 'a line contains only a verdict that is neither APPROVED nor FEEDBACK:'
      : 'FEEDBACK: is not at the beginning of a paragraph'
  return { kind: 'malformed', why }
}

function readFeedback(feedback: string): Reading {
  const text = feedback.trim()
  if (text === '') return { kind: 'malformed', why: 'there is no text after FEEDBACK:' }
  return { kind: 'review', review: plainReview('CHANGES_REQUESTED', text) }
}
