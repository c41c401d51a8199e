/** Resolving a merge with git: hooks, conflict markers, kills halfway, and an agent that uses git itself. */

import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { MergeFinished } from '../../src/vcs/merges.ts'
import { commitRequest, never, noNeeds } from '../contract/vcs-under-test.ts'
import { type Files, gitIn } from '../support/repository.ts'
import { type OpenLoop, openLoop } from './open-loop.ts'

let loop: OpenLoop
let recorded: string
let other: string

beforeEach(async () => {
  loop = await openLoop({ files: { 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n' } })
})
afterEach(() => loop.remove())

async function diverge(mine: Files, theirs: Files): Promise<void> {
  loop.write(mine)
  recorded = (await loop.commit()).sha
  other = loop.repository.commit('Theirs', theirs)
}
const begin = () => loop.vcs.beginMerge(loop.place, { recorded, other }, noNeeds, never)
const finish = (attempt = '1/2'): Promise<MergeFinished> =>
  loop.vcs.finishMerge(loop.place, { ...commitRequest(recorded, { attempt }), other }, never)
const both = () => diverge({ 'a.txt': 'mine\n' }, { 'a.txt': 'theirs\n', 'new.txt': 'new\n' })

it('commits as a person would, with both parents, the trailer, and the hooks of the repository', async () => {
  await both()
  loop.repository.hook('commit-msg', 'git rev-parse MERGE_HEAD > "$(git rev-parse --git-common-dir)/seen"')
  await begin()
  // To git no merge is in progress, so it can't be mistaken for one that an agent left half done.
  expect(existsSync(join(loop.gitDir, 'MERGE_HEAD'))).toBe(false)
  loop.write({ 'a.txt': 'both\n' })
  expect(await finish()).toMatchObject({ kind: 'committed' })
  expect(loop.git('log', '-1', '--format=%P')).toBe(`${recorded} ${other}`)
  expect(loop.git('log', '-1', '--format=%an %b')).toBe('Test Person Attempt: 1/2')
  expect(readFileSync(join(loop.repository.root, '.git/seen'), 'utf8').trim()).toBe(other)
  expect(loop.git('status', '--porcelain')).toBe('')
  expect(loop.repository.git('for-each-ref', 'refs/umpire')).toBe('')
})

it('keeps the files when a hook refuses; the hook also runs for a merge that changes no file', async () => {
  await both()
  loop.repository.hook('pre-commit', 'echo no; exit 1')
  await begin()
  loop.write({ 'a.txt': 'mine\n' })
  rmSync(join(loop.path, 'new.txt'))
  expect(await finish()).toMatchObject({ kind: 'refused', output: 'no' })
  expect(existsSync(join(loop.gitDir, 'MERGE_HEAD'))).toBe(false)
  expect(await loop.vcs.restoreBranch(loop.place, recorded)).toEqual({ kind: 'fine' })
  rmSync(join(loop.repository.root, '.git/hooks/pre-commit'))
  expect(await finish()).toMatchObject({ kind: 'committed' })
  expect(loop.git('log', '-1', '--format=%P')).toBe(`${recorded} ${other}`)
})

it('does not mistake lines that were there before for conflict markers', async () => {
  const text = (word: string) => `Title\n=======\n<<<<<<< HEAD\n${word}\n`
  await diverge({ 'a.txt': text('mine') }, { 'a.txt': text('theirs') })
  await begin()
  const marked = loop.read('a.txt')
  expect(marked).toContain(`>>>>>>> ${other}`)
  loop.write({ 'a.txt': text('both') })
  expect(await finish()).toMatchObject({ kind: 'committed' })
})

it('treats a single remaining marker line as an open conflict', async () => {
  await both()
  await begin()
  loop.write({ 'a.txt': `both\n>>>>>>> ${other}\n` })
  expect(await finish()).toEqual({ kind: 'unresolved', files: ['a.txt'] })
  loop.write({ 'a.txt': 'both\n=======\n' })
  expect(await finish()).toEqual({ kind: 'unresolved', files: ['a.txt'] })
})

it('reports a deletion on one side, and accepts what the agent decides', async () => {
  loop.git('rm', '-q', 'c.txt')
  await diverge({ 'd.txt': 'd\n' }, { 'c.txt': 'changed\n' })
  expect(await begin()).toEqual({ kind: 'conflict', files: ['c.txt'] })
  rmSync(join(loop.path, 'c.txt'))
  expect(await finish()).toMatchObject({ kind: 'committed' })
  expect(loop.filesIn('HEAD')).toEqual(['a.txt', 'b.txt', 'd.txt'])
})

it('accepts a merge that the agent made and committed by itself', async () => {
  await both()
  await begin()
  loop.git('reset', '-q', '--hard')
  loop.git('merge', '-q', '-X', 'ours', '-m', 'By myself', other)
  expect(await loop.vcs.restoreBranch(loop.place, recorded)).toEqual({ kind: 'fine' })
  expect(await finish()).toMatchObject({ kind: 'committed', commit: { message: 'By myself' } })
})

it('reports conflict markers even if the agent committed them', async () => {
  await both()
  await begin()
  loop.git('commit', '-q', '-a', '-m', 'Resolved, I think')
  expect(await finish()).toEqual({ kind: 'unresolved', files: ['a.txt'] })
})

it('starts over after a kill during the merge, and commits after a kill during the commit', async () => {
  await both()
  // A merge that Umpire began and was killed before recording.
  expect(() => loop.git('merge', '-q', other)).toThrow()
  writeFileSync(join(loop.gitDir, 'index.lock'), '')
  expect(await begin()).toEqual({ kind: 'conflict', files: ['a.txt'] })
  expect(existsSync(join(loop.gitDir, 'MERGE_HEAD'))).toBe(false)

  loop.write({ 'a.txt': 'both\n' })
  writeFileSync(join(loop.gitDir, 'MERGE_HEAD'), `${other}\n`)
  expect(await loop.vcs.restoreBranch(loop.place, recorded)).toEqual({ kind: 'fine' })
  expect(await finish()).toMatchObject({ kind: 'committed' })
  expect(loop.git('show', 'HEAD:a.txt')).toBe('both')
})

it('does not commit a merge without the other side when the worktree was deleted meanwhile', async () => {
  await both()
  await begin()
  loop.repository.git('worktree', 'remove', '--force', loop.path)
  await loop.vcs.openWorktree(loop.place, noNeeds, never)
  expect(await finish()).toEqual({ kind: 'unresolved', files: ['a.txt'] })
  expect(await begin()).toEqual({ kind: 'conflict', files: ['a.txt'] })
})

it('refuses to begin, finish or abandon a merge for a worker that has lost its claim', async () => {
  await both()
  await begin()
  loop.write({ 'a.txt': 'both\n' })
  const lost = new Error('not yours any more')
  const late = loop.vcs.guardedBy(() => Promise.reject(lost))
  const request = { ...commitRequest(recorded, { attempt: '1/2' }), other }
  await expect(late.finishMerge(loop.place, request, never)).rejects.toBe(lost)
  await expect(late.abandonMerge(loop.place, recorded)).rejects.toBe(lost)
  await expect(
    late.beginMerge(
      loop.place,
      { recorded, other: gitIn(loop.path, 'commit-tree', '-m', 'x', '-p', other, `${other}^{tree}`) },
      noNeeds,
      never,
    ),
  ).rejects.toBe(lost)
  expect([loop.git('rev-parse', 'HEAD'), loop.read('a.txt')]).toEqual([recorded, 'both\n'])
})
