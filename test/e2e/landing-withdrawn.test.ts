/** Work that was rejected or withdrawn never lands, however far it had come before. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Bench, openBench, type Scenario } from '../support/umpire.ts'

const approves = { do: [{ submit: { verdict: 'APPROVED', summary: 'Fine.' } }] }
const scenario: Scenario = {
  developer: [
    { task: 1, do: [{ write: { 'one.txt': '1\n' } }] },
    { task: 2, do: [{ write: { 'two.txt': '2\n' } }] },
  ],
  reviewer: [approves],
}

const dirty = (bench: Bench) => writeFileSync(join(bench.root, 'README.md'), 'mine\n')
const tidy = (bench: Bench) => bench.git('checkout', '-q', '--', 'README.md')

test.each([
  ['rejected', ['edit', '1', '--verdict', 'REJECTED', '--why', 'dangerous']],
  ['cancelled', ['cancel', '1']],
  ['deleted', ['delete', '1']],
])('work that waits for a checkout and is then %s does not land with the next task', async (_, move) => {
  const bench = openBench({ scenario })
  await bench.add('One')
  await bench.add('Two')
  await bench.umpire('work')
  dirty(bench)
  expect((await bench.umpire('merge', '1')).code).toBe(3)
  expect((await bench.umpire(...move)).code).toBe(0)
  expect(bench.git('branch', '--list', 'umpire/landed')).toBe('')
  tidy(bench)
  expect((await bench.umpire('merge', '2')).code).toBe(0)
  expect(existsSync(join(bench.root, 'two.txt'))).toBe(true)
  expect(existsSync(join(bench.root, 'one.txt'))).toBe(false)
})

test('two waiting tasks land together, and work notices that the person merged them by hand', async () => {
  const bench = openBench({ scenario })
  await bench.add('One')
  await bench.add('Two')
  await bench.umpire('work')
  dirty(bench)
  expect((await bench.umpire('merge', '1', '2')).code).toBe(3)
  const { recovery } = await bench.show(2)
  tidy(bench)
  const [, ...args] = (recovery[0] ?? '').split(' ')
  bench.git(...args)
  await bench.umpire('work')
  for (const id of [1, 2])
    expect(await bench.show(id)).toMatchObject({ status: 'completed', verdict: 'APPROVED', reason: null })
  expect(existsSync(join(bench.root, 'one.txt')) && existsSync(join(bench.root, 'two.txt'))).toBe(true)
  expect((await bench.umpire('clean')).stdout).toMatch(
    /removed {2}umpire\/1-one[\s\S]*removed {2}umpire\/2-two/,
  )
  expect((await bench.umpire('doctor', '--deep')).stdout).toContain('everything holds')
})

test('a person’s REJECTED is not undone by cancel and retry', async () => {
  const bench = openBench({ scenario, config: { land: 'base' } })
  await bench.add('One')
  dirty(bench)
  expect((await bench.umpire('work')).code).toBe(3)
  await bench.umpire('edit', '1', '--verdict', 'REJECTED', '--why', 'no')
  await bench.umpire('cancel', '1')
  tidy(bench)
  await bench.umpire('retry', '1')
  const before = (await bench.show(1)).sessions.length
  await bench.umpire('work')
  const { sessions, reviews } = await bench.show(1)
  expect(sessions.length).toBeGreaterThan(before)
  expect(reviews).toHaveLength(2)
})

test('an approving second opinion does not land the work that it reviews', async () => {
  const bench = openBench({
    scenario: {
      ...scenario,
      reviewer: [{ task: 1, do: [{ submit: { verdict: 'REJECTED', summary: 'No.' } }] }, approves],
    },
    config: { land: 'base' },
  })
  await bench.add('One')
  await bench.umpire('work')
  await bench.add('Second opinion', '-t', 'review', '--of', '1')
  expect((await bench.umpire('work')).code).toBe(0)
  expect(await bench.show(2)).toMatchObject({ status: 'completed', verdict: 'APPROVED', landed: null })
  expect(existsSync(join(bench.root, 'one.txt'))).toBe(false)
  expect((await bench.umpire('merge', '2')).code).toBe(2)
})

test('with land: base, work that a person approves waits for their merge, and edit says so', async () => {
  const bench = openBench({
    scenario: { ...scenario, reviewer: [{ do: [{ submit: { verdict: 'REJECTED', summary: 'No.' } }] }] },
    config: { land: 'base' },
  })
  await bench.add('One')
  await bench.umpire('work')
  const { stdout } = await bench.umpire('edit', '1', '--verdict', 'APPROVED', '--why', 'I want it')
  expect(stdout).toContain('next: umpire merge 1')
  expect(existsSync(join(bench.root, 'one.txt'))).toBe(false)
  expect((await bench.umpire('merge', '1')).code).toBe(0)
  expect(existsSync(join(bench.root, 'one.txt'))).toBe(true)
})
