/**
 * Umpire reports a role's agent that is not installed before it starts anything, and leaves the tasks untouched. Only a
 * task that names its own agent fails by itself.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect, test } from 'vitest'
import { type Bench, openBench } from '../support/umpire.ts'

function openWithout(roles: Record<string, unknown>, agents: Record<string, unknown> = {}): Bench {
  return openBench({ config: { roles, agents } })
}

async function expectUntouched(bench: Bench, said: string): Promise<void> {
  for (const args of [['work'], ['work', '--dry-run']]) {
    const { code, stdout, stderr } = await bench.umpire(...args)
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(said)])
  }
  expect((await bench.events()).filter(({ type }) => type !== 'task.added')).toEqual([])
  expect(bench.git('branch', '--list', 'umpire/*')).toBe('')
}

const ghost = { command: ['no-such-program'] }

test('refuses to work when a built-in agent is not on the PATH of its role', async () => {
  const role = { agent: 'codex', env: { PATH: '/no/such/folder' } }
  const bench = openWithout({ developer: 'actor', reviewer: role })
  await bench.add('One')
  await expectUntouched(
    bench,
    "The reviewer can't be started: codex, which codex runs, is not on the PATH.\n" +
      'Install it, or change roles.reviewer in umpire.yaml.\n',
  )
})

test('refuses to work without an agent of the panel, or without the resolver where tasks may conflict', async () => {
  const missing = (what: string, key: string) =>
    `The ${what} can't be started: codex, which codex runs, is not on the PATH.\nInstall it, or change ${key} in umpire.yaml.\n`
  const roles = { developer: 'actor', reviewer: 'actor' }
  const seat = { agent: 'codex', env: { PATH: '/no/such/folder' } }
  const panel = openBench({ config: { roles, review: { panel: [seat] } } })
  await panel.add('One')
  await expectUntouched(panel, missing('reviewer', 'review.panel'))

  const bench = openWithout({ ...roles, resolver: seat })
  await bench.add('Alone')
  expect((await bench.umpire('work')).code).toBe(0)
  await bench.add('With others', '--group', '1')
  const { code, stderr } = await bench.umpire('work')
  expect([code, stderr]).toEqual([2, expect.stringContaining(missing('resolver', 'roles.resolver'))])
  expect(await bench.show(2)).toMatchObject({ status: 'pending', iteration: 0 })
})

test('a missing agent of a single task, or a missing custom program, fails only that task', async () => {
  const bench = openWithout({ developer: 'actor', reviewer: 'actor' }, { ghost })
  await bench.add('One')
  await bench.add('Two', '--agent', 'codex')
  await bench.add('Three', '--agent', 'ghost')
  expect((await bench.umpire('work')).code).toBe(1)
  expect(await bench.show(1)).toMatchObject({ status: 'completed' })
  for (const id of [2, 3]) expect(await bench.show(id)).toMatchObject({ status: 'failed', reason: 'crash' })
})

test('refuses to work when an agent must be confined and the sandbox does not work', async () => {
  const confined = { command: ['node', '-e', '0'], confine: true }
  const bench = openWithout({ developer: 'confined', reviewer: 'actor' }, { confined })
  const bin = join(bench.folder, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'bwrap'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
  bench.env.PATH = [bin, bench.env.PATH].join(delimiter)
  await bench.add('One')
  await expectUntouched(bench, 'The agent confined must run in a sandbox, and there is none: ')
})
