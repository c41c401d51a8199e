/** The independent checker accepts the results of real runs, and finds every kind of damage to them. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { damages } from './damages.ts'
import { damagesByHand } from './damages-by-hand.ts'
import { damagesOfParsing } from './damages-of-parsing.ts'
import {
  check,
  copyRepository,
  damage,
  playRepository,
  removeRepository,
  task,
  violationsAfter,
} from './played-repository.ts'

let healthy = ''
beforeAll(async () => {
  healthy = await playRepository()
}, 120_000)
afterAll(() => removeRepository(healthy))

test('accepts tasks that ended in every possible way, automatically and led by a person', () => {
  const { code, stdout } = check(healthy)
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^22 tasks, \d+ events: everything holds\.\n$/),
  })
  expect(JSON.parse(check('--json', healthy).stdout)).toMatchObject({ ok: true, tasks: 22, violations: [] })
})

test.each([...damages, ...damagesByHand, ...damagesOfParsing])('finds it when %s', async (_, how, wanted) => {
  expect(await violationsAfter(healthy, how)).toContainEqual(expect.stringMatching(wanted))
})

test('accepts a person’s merge of the base into a branch that conflicts with it, and into no other', async () => {
  const merged = async (id: number) => {
    const copy = copyRepository(healthy)
    await damage(copy, (it) => {
      const branch = it.git('branch', '--list', `umpire/${id}-*`).replace(/^[+* ]+/, '')
      const message = ['-m', 'Merge main']
      const merge = it.git('commit-tree', '-p', branch, '-p', 'main', ...message, 'main^{tree}')
      it.git('update-ref', `refs/heads/${branch}`, merge)
    })
    const { stdout } = check(copy)
    removeRepository(copy)
    return stdout
  }
  expect(await merged(task.clashing)).toMatch(/: everything holds\.$/m)
  expect(await merged(task.judged)).toMatch(/^commits: task\/13 .+ is at \w{10} instead of \w{10}\.$/m)
})

test('prints the place of each violation, and no control characters', async () => {
  const copy = copyRepository(healthy)
  await damage(copy, (it) => {
    it.edit(task.revised, 'loop.approved', (data) => Object.assign(data, { by: '\u001b[31m\u202e' }))
  })
  const { code, stdout } = check(copy)
  removeRepository(copy)
  expect(code).toBe(1)
  expect(stdout).toMatch(
    /^approvals: task\/1 version \d+ \(seq \d+\): approved, but by .+, which is neither/m,
  )
  expect(stdout).not.toMatch(/[^\x20-\x7e\n]/)
})

test('has another exit code if the check could not run', () => {
  const nothing = mkdtempSync(join(tmpdir(), 'umpire-checked-'))
  expect(check(nothing)).toMatchObject({ code: 2, stderr: expect.stringContaining('not a git repository') })
  expect(check()).toMatchObject({ code: 2, stderr: expect.stringContaining('Usage:') })
  const copy = copyRepository(healthy)
  writeFileSync(join(copy, '.umpire/umpire.db'), 'no database')
  expect(check(copy)).toMatchObject({ code: 2, stdout: '' })
  rmSync(join(copy, '.umpire'), { recursive: true })
  expect(check(copy)).toMatchObject({ code: 2, stderr: expect.stringContaining('nothing was ever filed') })
  for (const folder of [nothing, copy]) removeRepository(folder)
})

test('shares no code with Umpire', () => {
  const folder = resolve(import.meta.dirname, '../../checker')
  for (const name of readdirSync(folder)) {
    const text = readFileSync(join(folder, name), 'utf8')
    const imports = [...text.matchAll(/(?:from|import\() ?'([^']+)'/g)].map(([, target = '']) => target)
    const foreign = imports.filter(
      (target) => !/^(node:|\.\/[\w-]+\.mjs$|@photostructure\/sqlite$)/.test(target),
    )
    expect({ name, foreign }).toEqual({ name, foreign: [] })
    expect(text.split('\n').length).toBeLessThan(300)
  }
})
