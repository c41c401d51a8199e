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

describe('the paths that a task names', () => {
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

  test('do not include words that only look like paths', () => {
    const prose =
      'Use Node.js and/or console.log, e.g. v1.2.3 of https://example.test/a.js, /etc/passwd, ../x.ts, user@host.example'
    expect(paths(null, prose)).toEqual([])
    expect(paths(`${prose} schedule n/a`)).not.toEqual(
      expect.arrayContaining(['schedule', 'and/or', '/etc/passwd', '../x.ts']),
    )
  })

  test('may contain braces, as one pattern', () => {
    expect(paths('src/{api,core}/a.ts, docs/')).toEqual(['src/{api,core}/a.ts', 'docs/'])
  })
})

describe('two tasks overlap', () => {
  const overlap = (candidate: string, running: string, touched: string[] = []) =>
    overlapOf(namedPaths(task(candidate)), { named: namedPaths(task(running)), touched })

  test('if their scopes overlap', () => {
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

  test('if one has touched files that the other names', () => {
    expect(overlap('src/core/', '', ['src/core/a.ts', 'docs/b.md'])).toEqual(['src/core/a.ts'])
    expect(overlap('*.md', '', ['README.md', 'docs/b.md'])).toEqual(['README.md'])
  })

  test('but not if they name different files', () => {
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

test('patterns match the way people write them', () => {
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

test('matches a malicious pattern quickly', () => {
  const hostile = `${'*a'.repeat(100)}b`
  expect(matchesGlob(hostile, 'a'.repeat(300))).toBe(false)
  expect(matchesGlob(`${'**/a/'.repeat(60)}b`, 'a/'.repeat(150))).toBe(false)
})

describe('a task that waits behind others', () => {
  const overlaps = (other: number, does: 'waits' | 'starts'): NewEvent => ({
    type: 'task.overlaps',
    data: { with: other, files: ['a.ts'], does },
  })

  test('remembers each of them once when it starts, but not a task that it started in parallel with', () => {
    const world = new World()
    for (const other of [7, 8, 7]) world.append(overlaps(other, 'waits'))
    expect(world.loop).toMatchObject({ standing: { deferred: { behind: 7 }, waitedBehind: [7, 8] } })
    world.append(overlaps(9, 'starts'))
    world.play()
    expect(world.loop).toMatchObject({
      standing: { status: 'completed', deferred: null, waitedBehind: [7, 8] },
    })
  })

  test('builds only on those that are completed and approved', () => {
    const played = new World().play().loop
    const loop = { ...played, task: { ...played.task, scope: 'src/a.ts', description: 'As docs/b.md says.' } }
    const mine = task('src/')
    expect(isWorthTheWait(mine, loop)).toBe(true)
    expect(isWorthTheWait(mine, applyChange(loop, { landing: { approval: null } }))).toBe(false)
    expect(isWorthTheWait(mine, applyChange(loop, { standing: { status: 'blocked' } }))).toBe(false)
    expect(isWorthTheWait(mine, applyChange(loop, { standing: { deleted: true } }))).toBe(false)
  })

  test('does not build on those that overlap only in their descriptions or touched files', () => {
    const played = new World().play().loop
    const loop = { ...played, task: { ...played.task, scope: 'src/a.ts', description: 'As docs/b.md says.' } }
    expect(isWorthTheWait(task(null, 'Change src/a.ts.'), loop)).toBe(false)
    expect(isWorthTheWait(task('docs/'), loop)).toBe(false)
    expect(isWorthTheWait(task('src/'), { ...loop, task: { ...loop.task, scope: null } })).toBe(false)
  })
})
