/** What a resolver left open, or changed outside the conflict. An untouched file never counts as resolved. */

import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { MergeFinished, MergeRequest } from '../../src/vcs/merges.ts'
import { commitRequest, never, noNeeds } from '../contract/vcs-under-test.ts'
import type { Files } from '../support/repository.ts'
import { type OpenLoop, openLoop } from './open-loop.ts'

let loop: OpenLoop
let recorded: string
let other: string

beforeEach(async () => {
  loop = await openLoop({ files: { 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n', 'bin.dat': 'x\0x\n' } })
})
afterEach(() => loop.remove())

async function diverge(mine: Files, theirs: Files): Promise<void> {
  loop.write(mine)
  recorded = (await loop.commit()).sha
  other = loop.repository.commit('Theirs', theirs)
  await loop.vcs.beginMerge(loop.place, { recorded, other }, noNeeds, never)
}
const finish = (beyond: MergeRequest['beyond'] = 'allowed'): Promise<MergeFinished> =>
  loop.vcs.finishMerge(loop.place, { ...commitRequest(recorded, { attempt: '1/2' }), other, beyond }, never)

it('keeps a file that one side deleted open until the resolver decides, even for the version that git left', async () => {
  loop.git('rm', '-q', 'c.txt')
  await diverge({ 'd.txt': 'd\n' }, { 'c.txt': 'changed\n' })
  expect(await loop.vcs.begunMerge(loop.place)).toMatchObject({
    conflicts: [{ path: 'c.txt', kind: 'deleted' }],
  })
  expect(await finish()).toEqual({ kind: 'undecided', files: ['c.txt'] })
  expect(await finish()).toEqual({ kind: 'undecided', files: ['c.txt'] })
  loop.git('add', '--', 'c.txt')
  expect(await finish()).toMatchObject({ kind: 'committed' })
  expect(loop.git('show', 'HEAD:c.txt')).toBe('changed')
})

it('keeps a binary file open until the resolver decides', async () => {
  await diverge({ 'bin.dat': 'mine\0\n' }, { 'bin.dat': 'theirs\0\n' })
  expect(await loop.vcs.begunMerge(loop.place)).toMatchObject({
    conflicts: [{ path: 'bin.dat', kind: 'whole' }],
  })
  expect(await finish()).toEqual({ kind: 'undecided', files: ['bin.dat'] })
  loop.write({ 'bin.dat': 'both\0\n' })
  expect(await finish()).toMatchObject({ kind: 'committed' })
})

it('refuses a resolution that drops changes outside the conflict, if only the conflict may be changed', async () => {
  await diverge({ 'a.txt': 'mine\n' }, { 'a.txt': 'theirs\n', 'b.txt': 'changed\n', 'new.txt': 'new\n' })
  loop.git('reset', '-q', '--hard', 'HEAD')
  const refused = await finish('refused')
  expect(refused).toMatchObject({ kind: 'beyond', files: ['b.txt', 'new.txt'] })
  if (refused.kind !== 'beyond') throw new Error(refused.kind)
  // The resolver is told to run this command, which restores the files.
  loop.git('checkout', refused.left, '--', 'b.txt', 'new.txt')
  loop.write({ 'a.txt': 'both\n' })
  expect(await finish('refused')).toMatchObject({ kind: 'committed' })
  expect(loop.git('show', 'HEAD:new.txt')).toBe('new')
})

it('also refuses a merge that was committed without the other side’s files', async () => {
  await diverge({ 'a.txt': 'mine\n' }, { 'a.txt': 'theirs\n', 'new.txt': 'new\n' })
  loop.git('reset', '-q', '--hard')
  loop.git('merge', '-q', '-s', 'ours', '-m', 'By myself', other)
  expect(await finish('refused')).toMatchObject({ kind: 'beyond', files: ['new.txt'] })
})

it('accepts either name for a file that conflicts with a folder of the same name', async () => {
  rmSync(join(loop.path, 'c.txt'))
  await diverge({ 'c.txt/in.txt': 'in\n' }, { 'c.txt': 'changed\n' })
  const begun = await loop.vcs.begunMerge(loop.place)
  const [file] = begun?.conflicts.map(({ path }) => path) ?? []
  expect(file).toMatch(/^c\.txt~/)
  loop.git('rm', '-q', '-r', 'c.txt')
  renameSync(join(loop.path, file ?? ''), join(loop.path, 'c.txt'))
  expect(await finish('refused')).toMatchObject({ kind: 'committed' })
})

it('compares the merge with both sides, and names changed files that had no conflict', async () => {
  await diverge({ 'a.txt': 'mine\n' }, { 'a.txt': 'theirs\n', 'b.txt': 'changed\n', 'new.txt': 'new\n' })
  const begun = await loop.vcs.begunMerge(loop.place)
  if (!begun) throw new Error('not begun')
  rmSync(join(loop.path, 'new.txt'))
  loop.write({ 'a.txt': 'mine\n' })
  const done = await finish()
  if (done.kind !== 'committed') throw new Error(done.kind)
  const { sha } = done.commit
  const resolution = { branch: 'main', sha, ours: recorded, theirs: other, ...begun }
  const compared = await loop.vcs.compareMerge(resolution)
  expect(compared.beyond).toEqual(['new.txt'])
  expect(compared.againstOurs).toBe('')
  expect(compared.againstTheirs).toContain('-theirs\n+mine')
  expect(compared.againstTheirs).toContain('deleted file')
  // A file without a conflict that is as git merged it is not the resolver's change.
  expect(compared.againstTheirs).not.toContain('b.txt')
  const gone = { ...resolution, left: '0'.repeat(40) }
  expect((await loop.vcs.compareMerge(gone)).beyond).toBeNull()
})
