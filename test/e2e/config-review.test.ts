/** The `review` section: whether there is a review, what the reviewer sees, and how Umpire reads its verdict. */
import { expect, test } from 'vitest'
import { openBench } from '../support/umpire.ts'
import { givenTo, witness } from '../support/witness.ts'

const cast = {
  roles: { developer: 'witness', reviewer: 'witness' },
  agents: { witness: { command: ['node', witness] } },
}

test('review.enabled: false completes tasks without a verdict', async () => {
  const bench = openBench({ config: { review: { enabled: false } } })
  await bench.add('Unreviewed')
  expect((await bench.umpire('work')).code).toBe(0)
  expect(await bench.show(1)).toMatchObject({ status: 'completed', verdict: null, reviews: [], cycle: 0 })
  expect((await bench.umpire('status')).stdout).toBe('✓ 1. implement Unreviewed  completed  not reviewed\n')
})

const developerWords = {
  developer: [
    {
      do: [
        { write: { 'a.txt': 'DIFF-WORDS\n' } },
        { run: ['git', 'add', '.'] },
        { run: ['git', 'commit', '-m', 'COMMIT-WORDS'] },
        { say: 'SESSION-WORDS' },
      ],
    },
  ],
}
const gates = { test: 'echo TEST-WORDS', lint: 'echo LINT-WORDS', build: 'echo BUILD-WORDS' }
const allWords = [
  'STORY',
  'PLAN-WORDS',
  'DIFF-WORDS',
  'TEST-WORDS',
  'BUILD-WORDS',
  'LINT-WORDS',
  'SESSION-WORDS',
]

async function shownToReviewer(review: object): Promise<string[]> {
  const bench = openBench({ config: { ...cast, gates, review }, scenario: developerWords })
  bench.write({ 'plan.md': 'PLAN-WORDS' })
  await bench.add('Contexts', '-d', 'STORY', '--plan', 'plan.md')
  expect((await bench.umpire('work')).code).toBe(0)
  const prompt = givenTo(bench)[1]?.stdin.replace(/^Command: .*$/gm, '') ?? ''
  expect(prompt).not.toContain('COMMIT-WORDS')
  return allWords.filter((words) => prompt.includes(words))
}

test('review.context sets what the reviewer sees; by default neither lint nor the developer’s words', async () => {
  expect(await shownToReviewer({})).toEqual(allWords.slice(0, 5))
  const off = { task_definition: false, git_diff: false, test_results: false, plan: false }
  expect(await shownToReviewer({ context: off })).toEqual([])
  const on = { ...off, lint_results: true, session_log: true }
  expect(await shownToReviewer({ blind: false, context: on })).toEqual(['LINT-WORDS', 'SESSION-WORDS'])
  expect(await shownToReviewer({ blind: false })).toEqual(allWords.slice(0, 5))
})

test('refuses review.blind together with session_log', async () => {
  const bench = openBench({ config: { review: { context: { session_log: true } } } })
  await bench.add('Contradiction')
  const work = await bench.umpire('work')
  expect(work.code).toBe(2)
  expect(work.stderr).toMatch(/umpire\.yaml:\d+: review\.context\.session_log: .*set review\.blind: false\n$/)
})

test('review.channels, retries and min_score decide which answers count', async () => {
  const scored = (correctness: number) => JSON.stringify({ verdict: 'APPROVED', scores: { correctness } })
  const answers = { marker: 'APPROVED', line: '**Verdict: APPROVED**', sixty: scored(60), forty: scored(40) }
  const bench = openBench({
    config: { ...cast, review: { channels: ['json'], retries: 0, min_score: 50 }, parallel: 2 },
    scenario: {
      reviewer: Object.entries(answers).map(([task, say]) => ({ task, do: [{ say }] })),
    },
  })
  for (const title of Object.keys(answers)) await bench.add(title)
  expect((await bench.umpire('work')).code).toBe(3)
  const { tasks } = (await bench.umpire('status', '--json')).json<{
    tasks: { status: string; reason: string }[]
  }>()
  expect(tasks.map(({ status, reason }) => `${status} ${reason}`)).toEqual([
    'blocked malformed_review',
    'blocked malformed_review',
    'completed null',
    'blocked malformed_review',
  ])
  expect((await bench.show(4)).detail).toContain('correctness a score of 40, below the minimum of 50')
  // Each reviewer is asked only once, and its prompt names no other way to answer.
  const sessions = bench.played().filter(({ role }) => role === 'reviewer')
  expect(sessions).toHaveLength(4)
  const prompt = givenTo(bench, 3)[1]?.stdin ?? ''
  expect(prompt).toContain('json')
  expect(prompt).not.toMatch(/umpire submit|\*\*Verdict:/)
})

test('review.retries sets how often Umpire asks again after an unreadable review', async () => {
  const bench = openBench({
    config: { review: { retries: 2 } },
    scenario: { reviewer: [{ session: 4, do: [{ say: 'APPROVED' }] }, { do: [{ say: 'Hm.' }] }] },
  })
  await bench.add('Third time lucky')
  expect((await bench.umpire('work')).code).toBe(0)
  expect((await bench.show(1)).sessions.map(({ role, attempt }) => `${role} ${attempt}`)).toEqual([
    'developer 1',
    'reviewer 1',
    'reviewer 2',
    'reviewer 3',
  ])
})

test('vcs accepts git and refuses what is not yet available; approved work stays on its branch by default', async () => {
  const bench = openBench({ config: { vcs: 'git' } })
  await bench.add('As it is today')
  const main = bench.git('rev-parse', 'main')
  expect((await bench.umpire('work')).code).toBe(0)
  const types = (await bench.events()).map(({ type }) => type)
  // The review starts after the developer's program has exited, and nothing is merged.
  expect(types.indexOf('review.started')).toBeGreaterThan(types.indexOf('session.ended'))
  expect(bench.git('rev-parse', 'main')).toBe(main)
  expect(bench.git('rev-list', '--count', 'main..umpire/1-as-it-is-today')).toBe('1')
  bench.write({ 'umpire.local.yaml': JSON.stringify({ vcs: 'jj' }) })
  await bench.add('Not yet')
  const refused = await bench.umpire('work')
  expect(refused.code).toBe(2)
  expect(refused.stderr.match(/not yet available/g)).toHaveLength(1)
})
