import { describe, expect, it } from 'vitest'
import { channelNames } from '../../src/verdicts/channel.ts'
import { instructionsFor, judge, readReview, usualChannels } from '../../src/verdicts/channels.ts'
import { verdictOf } from './corpus.ts'

const approval = '{"verdict": "APPROVED", "summary": "handed in", "issues": []}'
const rejection = '{"verdict": "CHANGES_REQUESTED", "issues": ["too slow"]}'
const handIn = (...handedIn: string[]) => readReview({ answer: '', handedIn }, ['tool'])

describe('a submitted review', () => {
  it('counts unchanged', () => {
    expect(handIn(approval)).toMatchObject({
      kind: 'review',
      channel: 'tool',
      review: { summary: 'handed in' },
    })
    expect(handIn(`\uFEFF\n ${rejection}\n`)).toMatchObject({
      review: { issues: [{ description: 'too slow' }] },
    })
  })

  it('may be repeated, but not with another verdict', () => {
    expect(handIn(approval, approval).kind).toBe('review')
    expect(handIn(approval, rejection)).toMatchObject({
      why: expect.stringContaining('two different verdicts'),
    })
    expect(handIn(rejection, approval).kind).toBe('malformed')
  })

  it('must be one plain JSON object', () => {
    for (const body of [
      '',
      'APPROVED',
      `\`\`\`json\n${approval}\n\`\`\``,
      `${approval} ok`,
      `[${approval}]`,
    ]) {
      expect(handIn(body).kind).toBe('malformed')
    }
    expect(handIn('{"verdict": "CHANGES_REQUESTED", "issues": ["a"],}').kind).toBe('malformed')
    expect(handIn('{"verdict": "REJECTED", "verdict": "APPROVED"}')).toMatchObject({
      why: expect.stringContaining('twice'),
    })
  })

  it('does not count if it is about something else', () => {
    expect(handIn('{"complete": true}', approval).kind).toBe('review')
    expect(handIn('{"complete": true}')).toMatchObject({ why: expect.stringContaining('no verdict found') })
  })

  it('must agree with the answer', () => {
    const judged = (answer: string) => readReview({ answer, handedIn: [approval] }, usualChannels)
    expect(judged('I have handed in my review.')).toMatchObject({ kind: 'review', channel: 'tool' })
    expect(judged('**Verdict: APPROVED**').kind).toBe('review')
    expect(judged('**Verdict: CHANGES_REQUESTED**').kind).toBe('malformed')
    expect(judged('FEEDBACK: it is broken').kind).toBe('malformed')
  })
})

describe('a structured answer', () => {
  const judged = (structured: object) =>
    readReview({ answer: '', handedIn: [], structured: JSON.stringify(structured) }, ['structured'])

  it('uses null for what does not apply', () => {
    const empty = { interpretedIntent: null, intentSatisfied: null, blocking: null, scores: { tests: null } }
    expect(
      judged({ verdict: 'APPROVED', passed: null, issues: null, feedback: null, ...empty }),
    ).toMatchObject({
      kind: 'review',
      review: { verdict: 'APPROVED', issues: [], scores: {}, intentSatisfied: null },
    })
    const issue = { id: null, file: null, line: null, type: null, severity: null, suggestion: null }
    expect(
      judged({ verdict: 'CHANGES_REQUESTED', issues: [{ ...issue, description: 'slow', status: null }] }),
    ).toMatchObject({ review: { issues: [{ description: 'slow', severity: 'blocking', type: 'other' }] } })
  })

  it('still needs a verdict, and a description of every issue', () => {
    expect(judged({ verdict: null, passed: true }).kind).toBe('malformed')
    expect(judged({ verdict: 'REJECTED', issues: [null] }).kind).toBe('malformed')
    expect(judged({ verdict: 'REJECTED', issues: [{ description: null }] }).kind).toBe('malformed')
  })

  it('does not relax the rules for submitted reviews', () => {
    const body = JSON.stringify({ verdict: 'APPROVED', passed: null })
    expect(handIn(body).kind).toBe('malformed')
  })
})

describe('the channels', () => {
  it('are read only if named, and names without a channel are skipped', () => {
    const evidence = { answer: '**Verdict: APPROVED**', handedIn: [] }
    expect(readReview(evidence, ['marker', 'json']).kind).toBe('malformed')
    expect(readReview(evidence, ['structured', 'parser', 'verdict-line'])).toMatchObject({
      channel: 'verdict-line',
    })
  })

  it('refuse an approval that contradicts its own scores or issues', () => {
    const answer =
      '{"passed": true, "scores": {"tests": 80}, "issues": [{"id": 2, "status": "open", "severity": "advisory"}]}'
    const judged = (minScore: number, open: string[]) =>
      judge({ answer, handedIn: [] }, ['json'], {
        minScore,
        isLeftOpen: ({ id, status }) => status === 'open' && open.includes(id ?? ''),
      }).kind
    expect(judged(80, [])).toBe('review')
    expect(judged(81, [])).toBe('malformed')
    expect(judged(80, ['2'])).toBe('malformed')
  })

  it('give their instructions in the order of the configuration', () => {
    const [first, second, third] = instructionsFor(['marker', 'structured', 'tool'])
    expect(first).toContain('FEEDBACK:')
    expect(second).toContain('the schema that you were given')
    expect(third).toContain('umpire submit')
    expect(instructionsFor(['parser'])).toEqual([])
  })

  it('name the session tool instead of a command to a reviewer that has the tool', () => {
    const [told = '', ...others] = instructionsFor(['tool'], 'mcp')
    expect(told).toContain('set_loop_review_result')
    expect(told).toContain('`umpire`')
    expect(told).not.toContain('umpire submit')
    expect(others).toEqual([])
    expect(instructionsFor(['json', 'marker'], 'mcp')).toEqual(instructionsFor(['json', 'marker']))
  })

  it('do not mistake an echo of their instructions for a review, and still read the review after it', () => {
    const instructions = [
      ...instructionsFor(channelNames),
      ...instructionsFor(['tool'], 'mcp'),
      ...instructionsFor(channelNames, 'none', 'run'),
    ]
    for (const echo of [...instructions, instructions.join('\n\n')]) {
      expect(verdictOf(echo)).toBeNull()
      expect(verdictOf(`${echo}\n\n**Verdict: APPROVED**`)?.verdict).toBe('APPROVED')
      expect(verdictOf(`${echo}\n\nFEEDBACK: mend it`)?.issues).toMatchObject([{ description: 'mend it' }])
    }
  })

  it('turn the text of a plain rejection into its one blocking issue', () => {
    expect(verdictOf('Slow.\n\nVerdict: REJECTED')).toMatchObject({
      verdict: 'REJECTED',
      summary: 'Slow.',
      issues: [{ severity: 'blocking', type: 'other', description: 'Slow.' }],
    })
    // A bare verdict becomes its own description.
    expect(verdictOf('Verdict: REJECTED')?.issues).toMatchObject([{ description: 'Verdict: REJECTED' }])
    expect(verdictOf('Hm.\n\nFEEDBACK: too slow\n\nand too big\n')?.issues[0]?.description).toBe(
      'too slow\n\nand too big',
    )
  })
})

describe('ten megabytes', () => {
  const size = 10_000_000
  const fill = (piece: string) => piece.repeat(Math.ceil(size / piece.length))

  it.each<[string, string]>([
    ['of one line', fill('a')],
    ['of spaces', fill(' ')],
    ['of braces', fill('{')],
    ['of nested objects', fill('{"":')],
    ['of braces on lines of their own', fill('some words here {\n')],
    ['of broken objects', fill('{verdict: "APPROVED", and many more words\n')],
    ['of fences', fill('```js and many more words in its info string\n')],
    ['of comments that nothing ends', fill('words <!-- and many more words on this line\n')],
    ['of folded text', fill('<details> <summary> many words </summary>\n')],
    ['of backticks', fill('`{')],
    ['of list markers', fill('- ')],
    ['of quotes in a string', `{"verdict": "${fill('\\"')}`],
    ['of stars', fill('*')],
  ])('%s are read to the end', (_name, text) => {
    expect(verdictOf(text)).toBeNull()
  })

  it('of words followed by a verdict give that verdict', () => {
    const words = fill('The quick brown fox reviews the lazy dog, again and again and again.\n')
    expect(verdictOf(`${words}\nVerdict: APPROVED`)?.verdict).toBe('APPROVED')
    expect(verdictOf(`${words}\nFEEDBACK: shorter, please`)?.verdict).toBe('CHANGES_REQUESTED')
    expect(verdictOf(`{"passed": true, "summary": "${fill('word ')}"}`)?.verdict).toBe('APPROVED')
  })
})
