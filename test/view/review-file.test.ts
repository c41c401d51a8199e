/** A review file reads back as its own verdict, whatever text it contains. */

import { expect, test } from 'vitest'
import { combinePanel, type SeatAnswer } from '../../src/core/review/panel-verdict.ts'
import { type Review, verdicts } from '../../src/core/review/review.ts'
import type { ReviewRecord } from '../../src/core/review/review-record.ts'
import { judge } from '../../src/verdicts/channels.ts'
import { renderReviewFile } from '../../src/view/review-file.ts'
import { finding } from '../core/turns.ts'
import { fc, samples } from '../support/random.ts'

/** Text that could be taken for a verdict, the end of a quote, or the start of a block that swallows the rest. */
const anyWords = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...verdicts.flatMap((verdict) => [
          verdict,
          `**Verdict: ${verdict}**`,
          `Verdict: ${verdict}`,
          `{"verdict":"${verdict}"}`,
        ]),
        ...['FEEDBACK: more', 'FEEDBACK:', '```json', '```', '~~~', '<!--', 'a <!-- b', '-->', '<details>'],
        ...['</details>', '<pre>', '@@ -1,9 +1,9 @@', '| a | b |', '> quoted', '    code', '- item', '{'],
        ...['', '', '\r', '\u2028', '\u200b```', '\u0085```json', '# Heading', 'My verdict: {"verdict":'],
      ),
      fc.string({ unit: 'binary', maxLength: 20 }),
    ),
    { maxLength: 8 },
  )
  .chain((parts) => fc.constantFrom('\n', '\n\n', '\r', '\r\n', ' ').map((end) => parts.join(end)))

const anyIssue = fc
  .record({
    id: fc.option(anyWords),
    file: fc.option(anyWords),
    description: anyWords,
    suggestion: fc.option(anyWords),
    witness: fc.option(fc.array(anyWords, { minLength: 1, maxLength: 2 })),
    status: fc.constantFrom('open', 'resolved', null),
  })
  .map(finding)

const anyBody: fc.Arbitrary<Review> = fc.record({
  verdict: fc.constantFrom(...verdicts),
  summary: anyWords,
  interpretedIntent: fc.option(anyWords),
  intentSatisfied: fc.constantFrom(true, false, null),
  scores: fc.dictionary(anyWords, fc.integer({ min: 0, max: 100 }), { maxKeys: 2 }),
  blocking: fc.boolean(),
  issues: fc.array(anyIssue, { maxLength: 2 }),
})

const anyPanel = fc
  .array(anyBody, { minLength: 1, maxLength: 3 })
  .map((bodies) => bodies.map((body, index): SeatAnswer => ({ seat: index + 1, agent: 'actor', body })))

function fileOf(answers: SeatAnswer[], body: Review, title: string, why: string): string {
  const absent = { seat: answers.length + 1, session: '1-2p9', agent: 'actor', verdict: null, why }
  const record: ReviewRecord = {
    ...{ review: '1-2-review', kind: 'task', cycle: 1, attempt: 1, session: '1-2', tree: 'tree' },
    ...{ channel: 'panel', command: '', body, rawOutput: '', costUsd: null, changes: null },
    seats: [
      absent,
      ...answers.map(({ seat, agent, body: { verdict } }) => {
        return { seat, session: `1-2p${seat}`, agent, verdict, why: null }
      }),
    ],
  }
  return renderReviewFile({ id: 1, title }, record, '2026-01-01T00:00:00.000Z')
}

const readBy = (answer: string, ...channels: ('json' | 'verdict-line' | 'marker')[]) => {
  const judged = judge({ answer, handedIn: [] }, channels, { minScore: 0, isLeftOpen: () => false })
  return judged.kind === 'review' ? judged.review.verdict : judged.why
}

test('any panel’s file reads back as its combined verdict, and has no verdict for the marker channel', () => {
  fc.assert(
    fc.property(anyPanel, anyWords, anyWords, (answers, title, why) => {
      const body = combinePanel(answers, answers.length, 'any')
      fc.pre(body !== null)
      const file = fileOf(answers, body, title, why)
      expect(readBy(file, 'json', 'verdict-line', 'marker')).toBe(body.verdict)
      expect(readBy(file, 'verdict-line')).toBe(body.verdict)
      expect(readBy(file, 'marker')).toBe('no verdict found')
      expect(file.endsWith(`**Verdict: ${body.verdict}**\n`)).toBe(true)
    }),
    { numRuns: samples(600) },
  )
})
