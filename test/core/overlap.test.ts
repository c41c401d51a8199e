import { describe, expect, test } from 'vitest'
import type { NewEvent } from '../../src/core/event.ts'
import { applyChange } from '../../src/core/loop.ts'
import { matchesGlob } from '../../src/core/schedule/glob.ts'
import { isWorthTheWait, namedPaths, overlapOf } from '../../src/core/schedule/overlap.ts'
import { World } from './world.ts'

const task = (scope: string | null, description = '', accept: string[] = []) => ({
  scope,
  description,
  accept,
})
const paths = (...args: Parameters<typeof task>) => namedPaths(task(...args)).map(({ path }) => path)

describe('what a task names', () => {
  test('are the files, folders and patterns of its scope', () => {
    expect(
      namedPaths(
        task('Only `src/api/*.ts`, ./docs/api.md and src/core/ (not lib/paint). README.md, Makefile'),
      ),
    ).toEqual([
      { kind: 'glob', path: 'src/api/*.ts' },
      { kind: 'file', path: 'docs/api.md' },
      { kind: 'folder', path: 'src/core/' },
      { kind: 'file or folder', path: 'lib/paint' },
      { kind: 'file', path: 'README.md' },
      { kind: 'file', path: 'Makefile' },
    ])
  })

  test('are files in its description and its criteria, but no folders', () => {
    expect(
      paths(null, 'Mend src/loop/work.ts:12:4, see `docs/*.md`; the code in src/core is fine.', [
        'test/a.test.ts passes',
      ]),
    ).toEqual(['src/loop/work.ts', 'docs/*.md', 'test/a.test.ts'])
    expect(paths(null, 'The folder src/ and src/core')).toEqual([])
  })

  test('are no words that only look like paths', () => {
    const prose =
      'Use Node.js and/or console.log, e.g. v1.2.3 of https://example.test/a.js, /etc/passwd, ../x.ts, user@host.example'
    expect(paths(null, prose)).toEqual([])
    expect(paths(`${prose} schedule n/a`)).not.toEqual(
      expect.arrayContaining(['schedule', 'and/or', '/etc/passwd', '../x.ts']),
    )
  })

  test('are braces as one pattern', () => {
    expect(paths('src/{api,core}/a.ts, docs/')).toEqual(['src/{api,core}/a.ts', 'docs/'])
  })
})

describe('two tasks are about the same', () => {
  const overlap = (candidate: string, running: string, touched: string[] = []) =>
    overlapOf(namedPaths(task(candidate)), { named: namedPaths(task(running)), touched })

  test('when their scopes meet', () => {
    const meeting: [string, string, string[]][] = [
      ['src/a.ts', 'src/a.ts', ['src/a.ts']],
      ['src/', 'src/a.ts', ['src/a.ts']],
      ['src/a.ts', 'src/', ['src/a.ts']],
      ['src/core', 'src/core/a.ts', ['src/core/a.ts']],
      ['src/core/', 'src/', ['src/core/']],
      ['src/**/*.ts', 'src/core/a.ts', ['src/core/a.ts']],
      ['src/**/*.ts', 'src/core/*.ts', ['src/**/*.ts']],
      ['a.ts', 'src/a.ts', ['src/a.ts']],
    ]
    for (const [one, other, files] of meeting) expect(overlap(one, other)).toEqual(files)
  })

  test('when one has touched what the other names', () => {
    expect(overlap('src/core/', '', ['src/core/a.ts', 'docs/b.md'])).toEqual(['src/core/a.ts'])
    expect(overlap('*.md', '', ['README.md', 'docs/b.md'])).toEqual(['README.md'])
  })

  test('and not when nothing they name is the same', () => {
    const apart: [string, string][] = [
      ['src/a.ts', 'src/b.ts'],
      ['src/core/', 'src/loop/'],
      ['src/core', 'src/core-two/a.ts'],
      ['src/**/*.ts', 'src/**/*.md'],
      ['docs/*.md', 'src/a.md'],
      ['', 'src/'],
    ]
    for (const [one, other] of apart) expect(overlap(one, other, ['other.txt'])).toEqual([])
  })
})

test('patterns match as people write them', () => {
  const matching: [string, string][] = [
    ['*.ts', 'a.ts'],
    ['src/*/a?.ts', 'src/x/ab.ts'],
    ['src/**', 'src/a/b/c.ts'],
    ['**/test/**', 'a/test/b.ts'],
    ['**/a.ts', 'a.ts'],
    ['src/{a,b}/*.{ts,md}', 'src/b/x.md'],
  ]
  for (const [pattern, path] of matching)
    expect([pattern, matchesGlob(pattern, path)]).toEqual([pattern, true])
  const others: [string, string][] = [
    ['*.ts', 'src/a.ts'],
    ['src/*', 'src/a/b.ts'],
    ['src/{a,b}.ts', 'src/c.ts'],
    ['a?.ts', 'a.ts'],
  ]
  for (const [pattern, path] of others)
    expect([pattern, matchesGlob(pattern, path)]).toEqual([pattern, false])
})

test('a pattern that is made to take long does not', () => {
  const hostile = `${'*a'.repeat(100)}b`
  expect(matchesGlob(hostile, 'a'.repeat(300))).toBe(false)
  expect(matchesGlob(`${'**/a/'.repeat(60)}b`, 'a/'.repeat(150))).toBe(false)
})

describe('one that waits behind others', () => {
  const overlaps = (other: number, does: 'waits' | 'starts'): NewEvent => ({
    type: 'task.overlaps',
    data: { with: other, files: ['a.ts'], does },
  })

  test('keeps a record of them when it begins, each once; a task in parallel to which it started is not one of them', () => {
    const world = new World()
    for (const other of [7, 8, 7]) world.append(overlaps(other, 'waits'))
    expect(world.loop).toMatchObject({ standing: { deferred: { behind: 7 }, waitedBehind: [7, 8] } })
    world.append(overlaps(9, 'starts'))
    world.play()
    expect(world.loop).toMatchObject({
      standing: { status: 'completed', deferred: null, waitedBehind: [7, 8] },
    })
  })

  test('begins with what was completed and approved of them, and with nothing else', () => {
    const played = new World().play().loop
    const loop = { ...played, task: { ...played.task, scope: 'src/a.ts', description: 'As docs/b.md says.' } }
    const mine = task('src/')
    expect(isWorthTheWait(mine, loop)).toBe(true)
    expect(isWorthTheWait(mine, applyChange(loop, { landing: { approval: null } }))).toBe(false)
    expect(isWorthTheWait(mine, applyChange(loop, { standing: { status: 'blocked' } }))).toBe(false)
    expect(isWorthTheWait(mine, applyChange(loop, { standing: { deleted: true } }))).toBe(false)
  })

  test('begins with nothing of those that only their words or touched files made it wait for', () => {
    const played = new World().play().loop
    const loop = { ...played, task: { ...played.task, scope: 'src/a.ts', description: 'As docs/b.md says.' } }
    expect(isWorthTheWait(task(null, 'Change src/a.ts.'), loop)).toBe(false)
    expect(isWorthTheWait(task('docs/'), loop)).toBe(false)
    expect(isWorthTheWait(task('src/'), { ...loop, task: { ...loop.task, scope: null } })).toBe(false)
  })
})
