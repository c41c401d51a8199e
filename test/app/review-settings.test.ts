/** Which parsed reviews Umpire accepts, and how it asks a reviewer. */
import { describe, expect, test } from 'vitest'
import { reviewSettings } from '../../src/app/review-settings.ts'
import type { Config } from '../../src/config/config.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { makeRepository } from '../support/repository.ts'

async function settings(review: object = {}, files: Record<string, string> = {}) {
  const repository = makeRepository({ 'umpire.yaml': JSON.stringify({ review }), ...files })
  try {
    const { config } = await loadConfig({ root: repository.root, home: repository.folder })
    return reviewSettings(config, config.review.channels satisfies Config['review']['channels'])
  } finally {
    repository.remove()
  }
}

const plain = 'I read it all, and I see no reason against merging it.'
const approved = '{"verdict":"APPROVED"}'
const given = (answer: string) => ({ answer, handedIn: [] })
const nothingOpen = { isLeftOpen: () => false }

describe('the answer of a parser', () => {
  test.each([
    ['as JSON', approved, 'APPROVED'],
    ['as a fenced block', `So:\n\n\`\`\`json\n${approved}\n\`\`\``, 'APPROVED'],
    ['as a verdict line', '**Verdict: CHANGES_REQUESTED**', 'CHANGES_REQUESTED'],
    ['as a marker', 'FEEDBACK: more tests', 'CHANGES_REQUESTED'],
  ])('counts %s, whatever channels reviewers have', async (_, answer, verdict) => {
    const { judgeParsed } = await settings({ channels: ['parser'] })
    expect(judgeParsed(given(answer), plain, nothingOpen)).toMatchObject({ review: { verdict } })
  })

  test.each([
    ['nothing that can be read', 'Looks fine.', plain, /no verdict found/],
    ['that it is unclear', '{"verdict":"UNCLEAR"}', plain, /verdict is "UNCLEAR"/],
    ['two verdicts', `${approved}\n\n**Verdict: REJECTED**`, plain, /two verdicts/],
    [
      'an approval with a blocking issue',
      '{"verdict":"APPROVED","issues":[{"description":"x","severity":"blocking"}]}',
      plain,
      /calls "x" blocking/,
    ],
    [
      'an approval with a low score',
      '{"verdict":"APPROVED","scores":{"tests":69}}',
      plain,
      /below the minimum/,
    ],
    [
      'an approval of a refusal in capitals',
      approved,
      'This is CHANGES_REQUESTED for now.',
      /"CHANGES_REQUESTED"/,
    ],
    ['an approval of what is not approved', approved, 'It is not approved.', /"not approved"/],
    ['an approval of what can’t be approved', approved, 'I can’t approve this.', /"can’t approve"/],
    ['an approval of what names another word', approved, 'result: needs_revision', /"needs_revision"/],
    [
      'an approval of a verdict that is malformed',
      approved,
      'Verdict: APPROVED if the tests pass',
      /verdict/,
    ],
    ['an approval of a rejection as JSON', approved, '{"verdict":"REJECTED"}', /it says REJECTED/],
    ['an approval of feedback', approved, 'FEEDBACK: more tests', /it says CHANGES_REQUESTED/],
    [
      'an approval of JSON that contradicts itself',
      approved,
      '{"verdict":"APPROVED","intentSatisfied":false}',
      /intent is not satisfied/,
    ],
  ])('never counts if it is %s', async (_, answer, text, why) => {
    const { judgeParsed } = await settings({ channels: ['parser'] })
    expect(judgeParsed(given(answer), text, nothingOpen)).toEqual({
      kind: 'malformed',
      why: expect.stringMatching(why),
    })
  })

  test.each([
    'I would have rejected it yesterday; today it is right.',
    'All changes that were requested are made.',
    '> CHANGES_REQUESTED\n\nThat was the last one. Merge it.',
    '```\nREJECTED\n```\n\nis what the test prints, as it should. Merge it.',
  ])('may approve a review that says %j', async (text) => {
    const { judgeParsed } = await settings()
    expect(judgeParsed(given(approved), text, nothingOpen)).toMatchObject({ review: { verdict: 'APPROVED' } })
  })
})

test('needs a parser only if it is a configured channel and no other channel found anything', async () => {
  const wanting = await settings({ channels: ['json', 'parser'] })
  const usual = await settings()
  expect(usual.isForParser(given(plain))).toBe(false)
  expect(wanting.isForParser(given(plain))).toBe(true)
  // Only configured channels are read here. The others can still contradict an approval later.
  expect(wanting.isForParser(given('**Verdict: APPROVED**'))).toBe(true)
  expect(wanting.isForParser(given(approved))).toBe(false)
  expect(wanting.isForParser(given('{"verdict":"MAYBE"}'))).toBe(false)
  expect(wanting.isForParser(given(' \n'))).toBe(false)
  expect(wanting.isForParser(given('x '.repeat(200_000)))).toBe(false)
})

describe('a reviewer is asked', () => {
  const own = 'umpire/prompts/review-task.md'
  test.each<[string, object, Record<string, string>, object]>([
    ['by our words', {}, {}, { by: 'own' }],
    [
      'by the project’s',
      {},
      { [own]: 'Mind {{task}}.' },
      { by: 'template', text: 'Mind {{task}}.', arguments: '' },
    ],
    [
      'by another of the project’s, with what follows its name',
      { command: '/strictly  on errors ' },
      { 'umpire/prompts/strictly.md': 'Be strict {{arguments}}.' },
      { by: 'template', text: 'Be strict {{arguments}}.', arguments: 'on errors' },
    ],
    ['by a command of its agent', { command: '/team:review now' }, { [own]: 'Not this.' }, { by: 'agent' }],
  ])('%s', async (_, review, files, asks) => {
    expect((await settings(review, files)).reviewCommand.asks).toEqual(asks)
  })
})
