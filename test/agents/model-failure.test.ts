import { describe, expect, it } from 'vitest'
import { modelFailure } from '../../src/agents/model-failure.ts'

const now = new Date('2026-11-16T01:00:00.000Z')
const judge = (text: string, status: number | null = null) =>
  modelFailure({ text, status, login: 'log in.', now })

describe('what a provider’s refusal means', () => {
  it.each([
    ['Forbidden', 403, 'auth'],
    ['Invalid API key · Please run /login', null, 'auth'],
    ['OAuth token has expired', 400, 'auth'],
    ['Quota exceeded. Check your plan and billing details.', 429, 'auth'],
    ['slow down', 429, 'rate_limited'],
    ['You exceeded your current quota, please check your plan and billing details.', null, 'rate_limited'],
    ['You exceeded your current quota (insufficient_quota)', 429, 'auth'],
    ['API key not valid. Please pass a valid API key.', 400, 'auth'],
    ['Connection reset by server', null, 'overloaded'],
    ['The input token count (9) exceeds the maximum number of tokens allowed (8).', 400, 'crash'],
    ['models/x is not found for API version v1beta', 404, 'crash'],
    ['Number of request tokens has exceeded your rate limit', null, 'rate_limited'],
    ['spend limit reached · resets Nov 20, 3pm (UTC)', null, 'rate_limited'],
    ['bad gateway', 502, 'overloaded'],
    ['Selected model is at capacity. Please try a different model.', null, 'overloaded'],
    ['unexpected status 503 Service Unavailable: x', null, 'overloaded'],
    ['prompt is too long: 5 tokens > 4 maximum', 400, 'crash'],
    ['The model `x` does not exist or you do not have access to it.', 404, 'crash'],
    ['messages.0: wrong', 400, 'crash'],
  ])('%s (%s) is %s', (text, status, expected) => {
    expect(judge(text, status).class).toBe(expected)
  })

  it('names a retry time only if waiting helps', () => {
    expect(judge('usage limit reached, try again in 2 minutes').retryAt).toBe('2026-11-16T01:02:00.000Z')
    expect(judge('Unauthorized, try again in 2 minutes', 401).retryAt).toBeNull()
  })

  it('says whether a retry can help', () => {
    expect(judge('prompt is too long: 5 tokens > 4 maximum', 400).retry).toBe('shorter')
    const missing = judge('The model `x` does not exist or you do not have access to it.', 404)
    expect(missing).toMatchObject({
      retry: 'never',
      text: expect.stringMatching(/^The model is not available: set another model/),
    })
    expect(judge('bad gateway', 502)).not.toHaveProperty('retry')
  })

  it('says how to log in, without terminal control characters', () => {
    expect(judge('No \u001b[31maccess', 401).text).toBe('No access. To log in: log in.')
  })
})
