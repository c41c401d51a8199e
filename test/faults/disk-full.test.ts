/** A full disk: the repository's, or only the one with git's objects or with the attempts. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { explained } from '../../src/store/sqlite/sqlite-error.ts'
import { fileAppears, until } from '../support/patient.ts'
import { mountUnder, noDisks } from '../support/small-disk.ts'
import { type Bench, isRunning, openBench, type Ran, type Shown } from '../support/umpire.ts'

const turns = ({ sessions }: Shown) => sessions.map(({ role, status }) => `${role} ${status}`)

/** One or two lines say so, either as an error of the command or as the end of a task. */
function expectFull({ code, stdout, stderr }: Ran): void {
  expect(`${stdout}${stderr}`).toMatch(/disk is full|no space left/i)
  expect(stderr).not.toMatch(/^\s+at |--verbose/m)
  expect(stderr.split('\n').length).toBeLessThanOrEqual(3)
  expect(code).toBe(1)
}

/** With room again: retries a failed task and works to the end. */
async function finish(bench: Bench, id: number): Promise<Shown> {
  const { status, reason } = await bench.show(id)
  if (status === 'failed') {
    expect(reason).toBe('disk')
    expect((await bench.umpire('retry', String(id))).code).toBe(0)
  }
  expect(await bench.umpire('work')).toMatchObject({ code: 0, stderr: '' })
  const shown = await bench.show(id)
  expect(shown).toMatchObject({ status: 'completed', verdict: 'APPROVED' })
  expect(bench.git('rev-list', '--count', `main..${shown.branch}`)).toBe('1')
  expect(bench.git('fsck', '--connectivity-only')).toBe('')
  return shown
}

describe.skipIf(noDisks)(`a full disk${noDisks ? ` (skipped: ${noDisks})` : ''}`, () => {
  test('before the first task and before any work: a clear message, and nothing half done', async () => {
    const bench = openBench({ process: 'own' })
    const disk = mountUnder(bench.root, 12)
    disk.fill()
    expectFull(await bench.umpire('add', 'No room'))
    disk.free()
    const id = await bench.add('Room')
    for (const kilobytes of [0, 40]) {
      disk.fill(kilobytes)
      expectFull(await bench.umpire('work'))
      expectFull(await bench.umpire('add', 'y'.repeat(9000), '-d', 'z'.repeat(90_000)))
      expect(bench.played()).toEqual([])
    }
    disk.free()
    expect(id).toBe(1)
    expect(turns(await finish(bench, id))).toEqual(['developer done', 'reviewer done'])
    expect(await bench.add('Next')).toBe(2)
  })

  test('an I/O error of SQLite is reported as a full disk if the disk is full', async () => {
    const bench = openBench({ process: 'own' })
    const path = join(bench.root, 'umpire.db')
    const error = Object.assign(new Error('disk I/O error'), { errcode: 10 })
    expect(explained(error, path)).toMatchObject({ message: expect.stringContaining('The disk failed to') })
    mountUnder(bench.root, 2).fill()
    expect(explained(error, path)).toMatchObject({ message: expect.stringContaining('The disk is full') })
  })

  test('while an agent works: it is paid once, and Umpire uses its work once there is room', async () => {
    const work = { write: { 'work-1.txt': 'work\n' } }
    const meanwhile = [{ touch: '$BENCH/arrived' }, { await: '$BENCH/go' }, { touch: '$BENCH/gone' }]
    const bench = openBench({
      process: 'own',
      scenario: { developer: [{ do: [work, { say: 'before' }, ...meanwhile] }] },
    })
    const disk = mountUnder(bench.root, 12)
    const id = await bench.add('Fill it up')
    const first = bench.start('work')
    await fileAppears(join(bench.folder, 'arrived'))
    // At its start the worker creates and removes files. Removing them after the fill would make room again.
    const heard = async () => (await bench.umpire('log', '1', '--raw')).stdout.includes('before')
    await until(heard, 'the first line in the log')
    disk.fill()
    writeFileSync(join(bench.folder, 'go'), '')
    await fileAppears(join(bench.folder, 'gone'))
    const agent = bench.played()[0]?.pid ?? 0
    await until(() => !existsSync(`/proc/${agent}`), 'the end of the agent')
    // Its keeper can't write the result, and waits for room.
    expect(existsSync(join(bench.home, 'attempts/1-1/result'))).toBe(false)
    disk.free()
    const ran = await first.ended
    if (ran.code !== 0) expectFull(ran)
    const shown = ran.code === 0 ? await bench.show(id) : await finish(bench, id)
    expect(turns(shown)).toEqual(['developer done', 'reviewer done'])
    expect((await bench.umpire('log', '1', '--role', 'developer', '--raw')).stdout).toBe('before\n')
  })

  test('an agent without room for its own files fails, and succeeds after a retry', async () => {
    const tooMuch = [
      { touch: '$BENCH/arrived' },
      { await: '$BENCH/go' },
      { write: { 'work-1.txt': 'z'.repeat(9_000_000) } },
    ]
    const bench = openBench({ process: 'own', scenario: { developer: [{ session: 1, do: tooMuch }] } })
    const disk = mountUnder(bench.root, 12)
    const id = await bench.add('Write too much')
    const first = bench.start('work')
    await fileAppears(join(bench.folder, 'arrived'))
    disk.fill(300)
    writeFileSync(join(bench.folder, 'go'), '')
    await until(() => !isRunning(bench.played()[0]?.pid ?? 0), 'the end of the agent')
    disk.free()
    expect((await first.ended).code).toBe(1)
    if ((await bench.show(id)).status === 'in_progress') expect((await bench.umpire('work')).code).toBe(1)
    expect(await bench.show(id)).toMatchObject({ status: 'failed', reason: 'crash' })
    expect((await bench.umpire('retry', String(id))).code).toBe(0)
    expect(turns(await finish(bench, id))).toEqual(['developer failed', 'developer done', 'reviewer done'])
  })

  test('at the commit: the task fails because of the disk, and retry commits the agent’s work', async () => {
    const bench = openBench({
      scenario: {
        developer: [
          {
            do: [{ touch: '$BENCH/arrived' }, { await: '$BENCH/go' }, { write: { 'work-1.txt': 'work\n' } }],
          },
        ],
      },
    })
    const disk = mountUnder(join(bench.root, '.git'), 12)
    const id = await bench.add('Commit it')
    const first = bench.start('work')
    await fileAppears(join(bench.folder, 'arrived'))
    disk.fill()
    writeFileSync(join(bench.folder, 'go'), '')
    expectFull(await first.ended)
    expect(await bench.show(id)).toMatchObject({ status: 'failed', reason: 'disk' })
    disk.free()
    expect(turns(await finish(bench, id))).toEqual(['developer done', 'reviewer done'])
    expect(bench.git('show', 'umpire/1-commit-it:work-1.txt')).toBe('work')
  })

  test('at the start of an attempt: the task fails because of the disk before any agent is paid', async () => {
    const bench = openBench({ process: 'own' })
    const attempts = join(bench.home, 'attempts')
    const id = await bench.add('Begin it')
    mkdirSync(attempts)
    const disk = mountUnder(attempts, 1)
    disk.fill()
    expectFull(await bench.umpire('work'))
    expect(await bench.show(id)).toMatchObject({ status: 'failed', reason: 'disk' })
    expect(bench.played()).toEqual([])
    disk.free()
    const shown = await finish(bench, id)
    expect(turns(shown).slice(-2)).toEqual(['developer done', 'reviewer done'])
    expect(bench.played()).toHaveLength(2)
  })
})
