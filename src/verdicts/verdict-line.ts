/**
 * The verdict as a line of its own: `Verdict: APPROVED`, any part of it bold. Nothing else may be on the line, not even a
 * full stop or a tick, so that "Verdict: APPROVED if the tests pass" can't be taken for an approval.
 */
import { type Reading, type Verdict, verdicts } from '../core/review/review.ts'
import { type Channel, type ChannelName, oneReading } from './channel.ts'
import { plainReview } from './shape/parse-review.ts'
import { type LineOrigin, ownWords, withoutBom } from './text/own-words.ts'

export const verdictLine: Channel<ChannelName> = {
  name: 'verdict-line',
  instruction: `End your answer with your verdict on a line of its own, in exactly this form: \`**Verdict: X**\`, where X is one of
APPROVED, CHANGES_REQUESTED, NEEDS_DISCUSSION, REJECTED. Nothing else stands on that line: no full stop, no emoji, no
further words, no heading or list sign. Write only one such line, and not inside a quote, a table or a code block. Above it
say what you found; if you do not approve, that text is what the developer gets.`,
  read: ({ answer }) => readVerdictLine(withoutBom(answer)),
}

function readVerdictLine(text: string): Reading {
  if (!/verdict/i.test(text)) return { kind: 'silent' }
  const stated = new Set<Verdict>()
  let unclear: Reading | null = null
  for (const line of ownWords(text)) {
    if (line.place === 'quoted') continue
    const said = verdictOn(line.text, line.place)
    if (said === null) continue
    if (said.kind === 'stated') stated.add(said.verdict)
    else unclear ??= { kind: 'malformed', why: `${said.why}: ${JSON.stringify(line.text.slice(0, 80))}` }
  }
  const readings = [...stated].map(
    (verdict): Reading => ({ kind: 'review', review: plainReview(verdict, words(text)) }),
  )
  return oneReading(unclear ? [...readings, unclear] : readings)
}

/** The review without its verdict line, because the verdict is shown separately. If there is nothing else, the whole text. */
function words(text: string): string {
  const lines = text.trim().split('\n')
  const last = lines.findLastIndex((line) => exactVerdict(line.trimEnd()) !== null)
  const rest = lines.filter((_, index) => index !== last).join('\n')
  return rest.trim() || text.trim()
}

type Said = { kind: 'stated'; verdict: Verdict } | { kind: 'unclear'; why: string }

function verdictOn(line: string, place: LineOrigin): Said | null {
  if (line.length > 200 || !/verdict/i.test(line)) return null
  const exact = exactVerdict(line)
  if (exact && place === 'own') return { kind: 'stated', verdict: exact }
  // Compare without signs and emphasis. An approval found only this way does not count, but it contradicts none either.
  const words = line
    .replace(/[^A-Za-z]+/g, ' ')
    .trim()
    .toUpperCase()
  if (refusal.test(words)) return { kind: 'unclear', why: 'the verdict is not alone on its line' }
  const labelled = place === 'own' && /^(?:\*\*)?verdict(?:\*\*)?:[ \t*]*[^ \t*]/i.test(line)
  if (!labelled || (words === 'VERDICT APPROVED' && !hasForeignLetter(line))) return null
  return { kind: 'unclear', why: `the verdict is not one of ${verdicts.join(', ')}` }
}

const word = '[ \\t]*([A-Z_]+)'
const boldWord = '[ \\t]*\\*\\*([A-Z_]+)\\*\\*'
const forms = [
  `verdict:${word}`,
  `\\*\\*verdict:${word}\\*\\*`,
  `\\*\\*verdict:\\*\\*${word}`,
  `\\*\\*verdict\\*\\*:${word}`,
  `verdict:${boldWord}`,
  `\\*\\*verdict:\\*\\*${boldWord}`,
].map((form) => new RegExp(`^${form}[ \\t]*$`, 'i'))

/** Without the `u` flag, `i` folds ASCII letters only into each other, so that no look-alike matches one. */
function exactVerdict(line: string): Verdict | null {
  for (const form of forms) {
    const found = form.exec(line)?.[1]?.toUpperCase()
    if (found !== undefined) return verdicts.find((verdict) => verdict === found) ?? null
  }
  return null
}

const refusal =
  /^(?:FINAL |OVERALL |MY )?VERDICT (?:IS )?(?:CHANGES REQUESTED|NEEDS DISCUSSION|NEEDS REVISION|REJECTED|NOT APPROVED|DISAPPROVED)$/

function hasForeignLetter(line: string): boolean {
  return /[^\p{ASCII}]/u.test(line) && /\p{L}/u.test(line.replace(/\p{ASCII}/gu, ''))
}
