/** `review.trigger: explicit`: the work waits for a review until a person asks for it. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openBench, type Shown } from '../support/umpire.ts'

const explicit = { review: { trigger: 'explicit' } }

const roles = ({ sessions }: Shown) => sessions.map(({ role }) => role)

test('review.trigger: explicit leaves the work waiting for a review that only umpire review starts', async () => {
  const bench = openBench({
    config: { ...explicit, gates: { test: 'test -f work-1.txt' } },
    scenario: { reviewer: [{ cycle: 1, do: [{ say: 'FEEDBACK: more' }] }] },
  })
  await bench.add('Wait for me')
  const work = await bench.umpire('work')
  expect(work).toMatchObject({ code: 3, stderr: '' })
  expect(work.stdout).toMatch(/^\? 1\. implement Wait for me {2}awaiting_review/m)
  expect(work.stdout).toContain('next: umpire review 1')
  const waiting = await bench.show(1)
  expect(waiting).toMatchObject({
    ...{ status: 'awaiting_review', verdict: null, reason: null, cycle: 0, maxCycles: 4, iteration: 1 },
    ...{ reviewStatus: 'pending', lastReviewId: null },
    gates: [{ name: 'test', passed: true }],
  })
  expect(roles(waiting)).toEqual(['developer'])
  expect(existsSync(join(bench.home, 'reviews'))).toBe(false)
  const { tasks } = (await bench.umpire('status', '--json')).json<{ tasks: Shown[] }>()
  expect(tasks).toMatchObject([{ id: 1, status: 'awaiting_review', verdict: null, reason: null }])
  expect((await bench.umpire('status')).stdout).toContain('umpire review 1')
  const ended = (await bench.events()).find(({ type }) => type === 'loop.awaiting_review')
  expect(ended).toMatchObject({
    task: 1,
    cycle: 1,
    data: { recovery: ['umpire review 1', 'umpire diff 1', 'umpire edit 1 --verdict APPROVED'] },
  })

  // `work` finds nothing ready. Given the task's number, it says what would help.
  expect(await bench.umpire('work')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Nothing to do.'),
  })
  const asked = await bench.umpire('work', '1')
  expect(asked).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Task 1 is awaiting_review.\nNext: umpire review 1'),
  })

  expect((await bench.umpire('review', '1')).code).toBe(3)
  expect(await bench.show(1)).toMatchObject({ status: 'blocked', reason: 'changes_requested', cycle: 1 })
  // A retry lets the developer continue; again, only the person starts the next review.
  await bench.umpire('retry', '1')
  expect((await bench.umpire('work')).code).toBe(3)
  const revised = await bench.show(1)
  expect(revised).toMatchObject({
    status: 'awaiting_review',
    verdict: 'CHANGES_REQUESTED',
    cycle: 1,
    iteration: 2,
  })
  expect(revised.sessions[2]?.prompt).toContain('more')
  expect((await bench.umpire('review', '1')).code).toBe(0)
  const shown = await bench.show(1)
  expect(shown).toMatchObject({ status: 'completed', verdict: 'APPROVED', cycle: 2 })
  expect(roles(shown)).toEqual(['developer', 'reviewer', 'developer', 'reviewer'])
})

test('a person can approve, retry, send back or cancel work that waits for its review', async () => {
  const bench = openBench({ config: { ...explicit, parallel: 4 } })
  for (const title of ['approved', 'retried', 'sent back', 'cancelled', 'unreviewed'])
    await bench.add(title, ...(title === 'unreviewed' ? ['--no-review'] : []))
  expect((await bench.umpire('work')).code).toBe(3)
  const moves = [
    await bench.umpire('edit', '1', '--verdict', 'APPROVED'),
    await bench.umpire('retry', '2'),
    await bench.umpire('improve', '3', '--note', 'More of it'),
    await bench.umpire('cancel', '4'),
  ]
  expect(moves.map(({ code }) => code)).toEqual([0, 0, 3, 0])
  // The retried task is checked again and waits as before; no developer runs.
  expect((await bench.umpire('work')).code).toBe(3)
  const { tasks } = (await bench.umpire('status', '--json')).json<{ tasks: Shown[] }>()
  expect(tasks.map(({ status, verdict, iteration }) => [status, verdict, iteration])).toEqual([
    ['completed', 'APPROVED', 1],
    ['awaiting_review', null, 1],
    ['awaiting_review', null, 2],
    ['cancelled', null, 1],
    // This task was added with --no-review.
    ['completed', null, 1],
  ])
  expect(bench.played().every(({ role }) => role === 'developer')).toBe(true)
})

test('with trigger explicit, a task without a reviewer waits, and umpire review names the missing role', async () => {
  const bench = openBench({ config: { ...explicit, roles: { developer: 'actor' } } })
  await bench.add('Nobody to judge')
  expect((await bench.umpire('work')).code).toBe(3)
  const before = await bench.events()
  const review = await bench.umpire('review', '1')
  expect(review).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('No agent is configured for the role reviewer.'),
  })
  expect(await bench.events()).toEqual(before)
  await bench.umpire('edit', '1', '--reviewer', 'actor')
  expect((await bench.umpire('review', '1')).code).toBe(0)
})
