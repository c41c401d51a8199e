/** A read-only repository: every writing command says so, and all works once it is writable again. */
import '../support/patient.ts'
import { execFileSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { mountUnder, noDisks } from '../support/small-disk.ts'
import { builtCommand, openBench, type Ran } from '../support/umpire.ts'

function expectRefused(ran: Ran): void {
  expect(ran.stderr).toMatch(/read-?only|can't be (opened|written)|permission denied/i)
  expect(ran.stderr).not.toMatch(/^\s+at |--verbose/m)
  expect(ran.code).toBe(1)
}

describe.skipIf(noDisks)(`a read-only file system${noDisks ? ` (skipped: ${noDisks})` : ''}`, () => {
  test('is reported before the first task and with tasks in it', async () => {
    const bench = openBench({ process: 'own' })
    const disk = mountUnder(bench.root, 20)
    disk.remount('ro')
    expectRefused(await bench.umpire('add', 'No'))
    expect(await bench.umpire('status')).toMatchObject({ code: 0, stderr: '' })
    disk.remount('rw')
    const id = await bench.add('Yes')
    disk.remount('ro')
    for (const args of [['add', 'No'], ['work'], ['cancel', '1']]) expectRefused(await bench.umpire(...args))
    // Read-only commands still work.
    expect(await bench.umpire('status')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Yes  pending'),
    })
    disk.remount('rw')
    expect(await bench.umpire('work')).toMatchObject({ code: 0, stderr: '' })
    expect(await bench.show(id)).toMatchObject({ status: 'completed', verdict: 'APPROVED' })
  })
})

const noUsers = process.getuid?.() === 0 ? null : 'only root can become another user'

describe.skipIf(noUsers)(`another user’s repository${noUsers ? ` (skipped: ${noUsers})` : ''}`, () => {
  test('is refused with a clear message to a user who may only read it', async () => {
    const bench = openBench({ process: 'own' })
    await bench.add('Not yours')
    chmodSync(bench.folder, 0o755)
    const as = (...args: string[]): Ran => {
      const argv = [
        '--reuid=65534',
        '--regid=65534',
        '--clear-groups',
        process.execPath,
        builtCommand,
        ...args,
      ]
      const trust = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'safe.directory', GIT_CONFIG_VALUE_0: '*' }
      try {
        const env = { PATH: process.env.PATH, HOME: '/nonexistent', ...trust }
        const stdout = execFileSync('setpriv', argv, {
          cwd: bench.root,
          env,
          encoding: 'utf8',
          stdio: 'pipe',
        })
        return { code: 0, stdout, stderr: '', json: () => JSON.parse(stdout) }
      } catch (error) {
        const { status, stdout, stderr } = error as { status: number; stdout: string; stderr: string }
        return { code: status, stdout, stderr, json: () => JSON.parse(stdout) }
      }
    }
    for (const args of [['add', 'No'], ['work'], ['status']]) {
      const ran = as(...args)
      expect(ran.stderr).toMatch(/umpire\.db can't be (opened|written)/)
      expect(ran.stderr).not.toMatch(/^\s+at |--verbose/m)
      expect(ran.code).toBe(1)
    }
  })
})
