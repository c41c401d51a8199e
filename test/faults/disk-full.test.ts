/** A disk is full: the repository's, or only the one of git's objects or of the attempts. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { explained } from '../../src/store/sqlite/sqlite-error.ts'
import { fileAppears, until } from '../support/patient.ts'
import { mountUnder, noDisks } from '../support/small-disk.ts'
import { type Bench, isRunning, openBench, type Ran, type Shown } from '../support/umpire.ts'

const turns = ({ sessions }: Shown) => sessions.map(({ role, status }) => `${role} ${status}`)

/** One or two lines that say so, whether they came as an error of the call or as the end of a task. */
function expectFull({ code, stdout, stderr }: Ran): void {
  expect(`${stdout}${stderr}`).toMatch(/disk is full|no space left/i)
  expect(stderr).not.toMatch(/^\s+at |--verbose/m)
  expect(stderr.split('\n').length).toBeLessThanOrEqual(3)
  expect(code).toBe(1)
}

/** There is room again: a task that failed is retried, and all goes on to the end. */
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
  test('before anything was filed, and before any work: clear words, nothing half done', async () => {
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

  test('what SQLite calls an I/O error is a full disk where the disk is full', async () => {
    const bench = openBench({ process: 'own' })
    const path = join(bench.root, 'umpire.db')
    const error = Object.assign(new Error('disk I/O error'), { errcode: 10 })
    expect(explained(error, path)).toMatchObject({ message: expect.stringContaining('The disk failed to') })
    mountUnder(bench.root, 2).fill()
    expect(explained(error, path)).toMatchObject({ message: expect.stringContaining('The disk is full') })
  })

  test('while an agent works: it is paid once, and its work is taken up when there is room', async () => {
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
    // What the worker still puts in place and takes away at the start would make room again.
    const heard = async () => (await bench.umpire('log', '1', '--raw')).stdout.includes('before')
    await until(heard, 'the first line in the log')
    disk.fill()
    writeFileSync(join(bench.folder, 'go'), '')
    await fileAppears(join(bench.folder, 'gone'))
    const agent = bench.played()[0]?.pid ?? 0
    await until(() => !existsSync(`/proc/${agent}`), 'the end of the agent')
    // Its keeper can't say so, and waits for room.
    expect(existsSync(join(bench.home, 'attempts/1-1/result'))).toBe(false)
    disk.free()
    const ran = await first.ended
    if (ran.code !== 0) expectFull(ran)
    const shown = ran.code === 0 ? await bench.show(id) : await finish(bench, id)
    expect(turns(shown)).toEqual(['developer done', 'reviewer done'])
    expect((await bench.umpire('log', '1', '--role', 'developer', '--raw')).stdout).toBe('before\n')
  })

  test('an agent that has no room for its own files has failed, and does better after a retry', async () => {
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

  test('at the commit: the task has failed for the disk, and retry commits what the agent did', async () => {
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

  test('where an attempt begins: the task has failed for the disk before anything was paid', async () => {
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
