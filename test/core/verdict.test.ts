import { describe, expect, it } from 'vitest'
import type { Reading, ReportedIssue, Review, Verdict } from '../../src/core/review/review.ts'
import { combine, contradiction } from '../../src/core/review/verdict.ts'

const issue = (changes: Partial<ReportedIssue>): ReportedIssue => ({
  id: null,
  file: null,
  line: null,
  section: null,
  type: 'other',
  severity: 'advisory',
  description: 'something',
  suggestion: null,
  witness: null,
  status: null,
  ...changes,
})

const review = (changes: Partial<Review> = {}): Review => ({
  verdict: 'APPROVED',
  summary: '',
  interpretedIntent: null,
  intentSatisfied: null,
  scores: {},
  blocking: false,
  issues: [],
  ...changes,
})

const says = (verdict: Verdict, summary = ''): Reading => ({
  kind: 'review',
  review: review({ verdict, summary }),
})
const silent: Reading = { kind: 'silent' }
const unreadable: Reading = { kind: 'malformed', why: 'line must be a whole number' }

describe('several channels together', () => {
  const of = (...readings: Reading[]) =>
    combine(readings.map((reading, index) => ({ channel: `c${index + 1}`, reading })))

  it('take the details from the first channel with a review', () => {
    const judged = of(silent, says('APPROVED', 'from two'), says('APPROVED', 'from three'))
    expect(judged).toMatchObject({ kind: 'review', channel: 'c2', review: { summary: 'from two' } })
  })

  it('must agree, and the reason names both', () => {
    expect(of(says('APPROVED'), silent, says('REJECTED'))).toEqual({
      kind: 'malformed',
      why: 'two verdicts in one review: c1 says APPROVED, c3 says REJECTED',
    })
    expect(of(says('REJECTED'), says('CHANGES_REQUESTED')).kind).toBe('malformed')
  })

  it('do not approve if another channel is unreadable, whichever came first', () => {
    expect(of(says('APPROVED'), unreadable)).toEqual({
      kind: 'malformed',
      why: 'c2: line must be a whole number',
    })
    expect(of(unreadable, says('APPROVED')).kind).toBe('malformed')
  })

  it('accept a rejection despite an unreadable channel only if that channel is lower', () => {
    expect(of(says('CHANGES_REQUESTED'), unreadable)).toMatchObject({ kind: 'review', channel: 'c1' })
    expect(of(unreadable, says('CHANGES_REQUESTED')).kind).toBe('malformed')
  })

  it('say so, in words for a person, if none of them found anything', () => {
    expect(of(silent, silent)).toEqual({ kind: 'malformed', why: 'no verdict found' })
    expect(of().kind).toBe('malformed')
  })
})

describe('an approval', () => {
  const against = {
    minScore: 70,
    isLeftOpen: ({ id, status }: ReportedIssue) => id === '3' && status === 'open',
  }
  const why = (changes: Partial<Review>) => contradiction(review(changes), against)

  it('is consistent if nothing contradicts it', () => {
    expect(why({})).toBeNull()
    expect(why({ intentSatisfied: true, scores: { tests: 70 }, issues: [issue({})] })).toBeNull()
  })

  it('contradicts itself with a blocking issue, unless the issue is resolved', () => {
    expect(why({ issues: [issue({ severity: 'blocking' })] })).toContain('calls "something" blocking')
    expect(why({ issues: [issue({ id: '3', severity: 'blocking', status: 'resolved' })] })).toBeNull()
  })

  it('contradicts itself with a known issue still open', () => {
    expect(why({ issues: [issue({ id: '3', status: 'open' })] })).toContain('issue 3 as still open')
    expect(why({ issues: [issue({ id: 'new', status: 'open' })] })).toBeNull()
  })

  it('contradicts itself with a low score, a missed intent or a call for a person, and names them all', () => {
    expect(why({ scores: { tests: 69.5 }, intentSatisfied: false, blocking: true })).toBe(
      'the review says APPROVED, but it gives tests a score of 69.5, below the minimum of 70; ' +
        'it says that the intent is not satisfied; it asks for a person (blocking is true)',
    )
    expect(why({ scores: { tests: Number.NaN } })).toContain('NaN')
  })

  it('does not list a hundred reasons', () => {
    const reason = why({ issues: Array.from({ length: 100 }, () => issue({ severity: 'blocking' })) })
    expect(reason).toMatch(/and 95 more$/)
  })

  it('is the only verdict that can contradict itself', () => {
    for (const verdict of ['CHANGES_REQUESTED', 'NEEDS_DISCUSSION', 'REJECTED'] as const) {
      expect(why({ verdict, blocking: true, intentSatisfied: false, scores: { tests: 0 } })).toBeNull()
    }
  })
})
