import { describe, expect, it } from 'vitest'
import { parseReview } from '../../src/verdicts/shape/parse-review.ts'

const parsed = (value: unknown, text = 'the text') => {
  const reading = parseReview(value, text)
  if (reading.kind !== 'review') throw new Error(JSON.stringify(reading))
  return reading.review
}
const why = (value: unknown) => {
  const reading = parseReview(value, 'the text')
  return reading.kind === 'malformed' ? reading.why : reading.kind
}

describe('a review as JSON', () => {
  it('is read completely', () => {
    const issue = {
      id: 7,
      file: 'src/a.ts',
      line: 12,
      section: '2.1',
      type: 'bug',
      severity: 'blocking',
      description: 'off by one',
      suggestion: 'use <',
      witness: ['node', 'check.js'],
      status: 'open',
    }
    const value = {
      verdict: 'CHANGES_REQUESTED',
      passed: false,
      summary: 'no',
      interpretedIntent: 'count',
      intentSatisfied: false,
      scores: { correctness: 12.5 },
      blocking: true,
      issues: [issue],
    }
    const { passed, ...rest } = value
    expect(parsed(value)).toEqual({ ...rest, issues: [{ ...issue, id: '7' }] })
  })

  it('treats null as not given', () => {
    const issue = {
      description: 'x',
      id: null,
      file: null,
      line: null,
      type: null,
      severity: null,
      witness: null,
    }
    const value = { verdict: 'pass', summary: null, scores: null, intentSatisfied: null, issues: [issue] }
    expect(parsed(value)).toMatchObject({
      verdict: 'APPROVED',
      summary: '',
      issues: [{ severity: 'advisory' }],
    })
  })

  it('understands the alternative key names', () => {
    const value = {
      result: 'needs_revision',
      score: { a: 1 },
      feedback: [{ section: '2', issue: 'vague' }, 'short'],
    }
    expect(parsed(value)).toMatchObject({
      verdict: 'CHANGES_REQUESTED',
      scores: { a: 1 },
      issues: [
        { section: '2', description: 'vague' },
        { section: null, description: 'short' },
      ],
    })
  })

  it('reads a single score as the overall score, and line 0 as no line', () => {
    const value = { passed: false, score: 55, issues: [{ description: 'x', file: 'a', line: 0 }] }
    expect(parsed(value)).toMatchObject({ scores: { overall: 55 }, issues: [{ file: 'a', line: null }] })
    expect(parsed({ passed: true, score: null }).scores).toEqual({})
  })

  it('treats issues as blocking in a rejection and as advisory in an approval', () => {
    const issues = [{ description: 'a' }, 'b', { description: 'c', severity: 'advisory' }]
    const severities = (verdict: string) => parsed({ verdict, issues }).issues.map(({ severity }) => severity)
    expect(severities('REJECTED')).toEqual(['blocking', 'blocking', 'advisory'])
    expect(severities('APPROVED')).toEqual(['advisory', 'advisory', 'advisory'])
  })

  it('turns a rejection without issues into one blocking issue', () => {
    const only = (value: object) =>
      parsed(value).issues.map(({ severity, description }) => [severity, description])
    expect(only({ verdict: 'REJECTED', summary: 'wrong place' })).toEqual([['blocking', 'wrong place']])
    expect(only({ passed: false, summary: ' ' })).toEqual([['blocking', 'the text']])
    expect(only({ passed: false, summary: 'more', issues: [{ id: 1, status: 'resolved' }] })).toEqual([
      ['blocking', ''],
      ['blocking', 'more'],
    ])
    expect(parsed({ passed: true, summary: 'fine' }).issues).toEqual([])
  })

  it('knows the issue types and calls everything else other', () => {
    const types = ['security', 'Test-Gap', 'style', undefined].map((type) => ({ description: 'x', type }))
    expect(parsed({ passed: false, issues: types }).issues.map(({ type }) => type)).toEqual([
      'security',
      'test-gap',
      'other',
      'other',
    ])
  })

  it('keeps a score under any name, so none escapes the minimum', () => {
    const value: unknown = JSON.parse('{"passed": true, "scores": {"__proto__": 3, "toString": 4}}')
    expect(Object.entries(parsed(value).scores)).toEqual([
      ['__proto__', 3],
      ['toString', 4],
    ])
  })
})

describe('something other than a review', () => {
  it.each([null, 7, 'APPROVED', ['APPROVED'], {}, { complete: true }, { Verdict: 'APPROVED' }])(
    'is ignored: %j',
    (value) => {
      expect(parseReview(value, '')).toEqual({ kind: 'silent' })
    },
  )

  it.each<[string, object, string]>([
    ['a wrong word', { verdict: 'LGTM' }, 'verdict is "LGTM"; it must be APPROVED, CHANGES_REQUESTED,'],
    ['a wrong type', { verdict: 1 }, 'verdict must be a text'],
    ['a text for a flag', { passed: 'true' }, 'passed must be true or false'],
    ['a disagreement', { verdict: 'pass', passed: false }, 'verdict APPROVED and passed false do not agree'],
    ['two words', { verdict: 'pass', result: 'REJECTED' }, 'verdict says APPROVED and result says REJECTED'],
    ['a flag', { passed: true, blocking: 0 }, 'blocking must be true or false'],
    ['scores', { passed: true, scores: [90] }, 'scores must be an object'],
    ['a score', { passed: true, score: { tests: '9' } }, 'score.tests must be a number from 0 to 100'],
    ['a missing score', { passed: true, scores: { tests: null } }, 'scores.tests must be a number'],
    ['issues', { passed: false, issues: {} }, 'issues must be a list'],
    ['an issue', { passed: false, issues: [''] }, 'issues[0] must be an object or a non-empty text'],
    ['words', { passed: false, feedback: [{ file: 'a' }] }, 'feedback[0].description is missing'],
    [
      'a line',
      { passed: false, issues: ['a', { issue: 'x', line: 1.5 }] },
      'issues[1].line must be a whole number',
    ],
    ['an id', { passed: false, issues: [{ issue: 'x', id: 1.5 }] }, 'issues[0].id must be a text or a whole'],
    [
      'a status',
      { passed: false, issues: [{ issue: 'x', status: 'done' }] },
      'status must be resolved or open',
    ],
    [
      'a witness',
      { passed: false, issues: [{ issue: 'x', witness: [1] }] },
      'witness must be a list of texts',
    ],
    [
      'two names',
      { passed: true, issues: [], feedback: [] },
      'issues and feedback are two names for one thing',
    ],
  ])('is refused with the name of the wrong key: %s', (_name, value, reason) => {
    expect(why(value)).toContain(reason)
  })

  it('is refused with all its mistakes at once', () => {
    expect(why({ passed: false, summary: 7, issues: [{ issue: 'x', line: -1, severity: 'high' }] })).toBe(
      'summary must be a text; issues[0].line must be a whole number of at least 1; ' +
        'issues[0].severity must be blocking or advisory',
    )
  })
})
