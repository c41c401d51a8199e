import { describe, expect, it } from 'vitest'
import { resetTime } from '../../src/agents/reset-time.ts'

const now = new Date('2026-11-16T01:57:41.000Z')

describe('the time at which a limit resets', () => {
  it.each([
    ['Claude AI usage limit reached|1794801455', '2026-11-16T03:57:35.000Z'],
    ['You’ve hit your 5-hour limit · resets 3:57am (UTC)', '2026-11-16T03:58:00.000Z'],
    ['resets 12:30am (UTC)', '2026-11-17T00:31:00.000Z'],
    ['resets 12am (UTC)', '2026-11-17T00:01:00.000Z'],
    ['resets 12pm (UTC)', '2026-11-16T12:01:00.000Z'],
    ['resets 3pm (Europe/Berlin)', '2026-11-16T14:01:00.000Z'],
    ['resets 7pm (America/New_York)', '2026-11-17T00:01:00.000Z'],
    ['hit your weekly limit · resets Nov 20, 3:30pm (UTC)', '2026-11-20T15:31:00.000Z'],
    ['Try again at Nov 19th, 2026 3:24 PM (UTC).', '2026-11-19T15:25:00.000Z'],
    ['Please try again in 20s.', '2026-11-16T01:58:01.000Z'],
    ['try again in 2 days 3 hours 5 minutes.', '2026-11-18T05:02:41.000Z'],
    ['Your quota will reset after 5h3m2s.', '2026-11-16T07:00:43.000Z'],
    ['try again in 1.5 hours', '2026-11-16T03:27:41.000Z'],
    ['resets at 2026-11-16T04:00:00Z', '2026-11-16T04:00:00.000Z'],
  ])('%s', (text, expected) => {
    expect(resetTime(text, now)).toBe(expected)
  })

  it('uses the wall clock of that day, across a daylight saving change', () => {
    const summer = new Date('2026-10-24T12:00:00.000Z')
    expect(resetTime('resets Oct 26, 9am (Europe/Berlin)', summer)).toBe('2026-10-26T08:01:00.000Z')
  })

  it('is in the next year when the month has passed', () => {
    const late = new Date('2026-12-30T12:00:00.000Z')
    expect(resetTime('resets Jan 2, 9am (UTC)', late)).toBe('2027-01-02T09:01:00.000Z')
  })

  it.each([
    ['a minute ago', 'resets 5:18am (UTC)', '2026-11-16T05:19:20.000Z'],
    ['an hour ago, almost', 'resets 5am (UTC)', '2026-11-16T05:59:00.000Z'],
    ['elsewhere', 'resets 12:18am (America/New_York)', '2026-11-16T05:20:00.000Z'],
    ['before midnight', 'resets 11:59pm (UTC)', '2026-11-17T00:00:30.000Z'],
    ['at midnight', 'resets 12am (UTC)', '2026-11-17T00:01:30.000Z'],
    ['on that day', 'resets Nov 16, 5:18am (UTC)', '2026-11-16T05:20:00.000Z'],
    ['on the last day of the year', 'resets Dec 31, 11:30pm (UTC)', '2027-01-01T00:10:00.000Z'],
    ['with its year', 'try again at Nov 16th, 2026 5:18 AM (UTC).', '2026-11-16T05:20:00.000Z'],
    ['in seconds', 'usage limit reached|1794801455', '2026-11-16T03:57:36.000Z'],
  ])('is one second from now when it has just passed: %s', (_, text, at) => {
    const asked = new Date(at)
    expect(resetTime(text, asked)).toBe(new Date(asked.getTime() + 1000).toISOString())
  })

  it('is tomorrow when it passed more than an hour ago', () => {
    const asked = new Date('2026-11-16T06:30:00.000Z')
    expect(resetTime('resets 5:18am (UTC)', asked)).toBe('2026-11-17T05:19:00.000Z')
  })

  it.each([
    ['no time at all', 'Too many requests'],
    ['one that is over', 'usage limit reached|1600000000'],
    ['one that is too far away', 'try again in 400 days'],
    ['a zone that does not exist', 'resets 3pm (Nowhere/Land)'],
    ['a month that does not exist', 'resets Foo 20, 3pm (UTC)'],
    ['a count without a unit', 'in 5 attempts'],
  ])('is unknown for %s', (_, text) => {
    expect(resetTime(text, now)).toBeNull()
  })
})
