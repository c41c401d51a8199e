/** Whether a task's work is still as recorded, and what a person left half done in it. */
import { appendFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Landing, openLanding, type Work } from './open-landing.ts'

let landing: Landing
let work: Work
beforeEach(async () => {
  landing = openLanding()
  work = await landing.work(1, { 'a.txt': 'mine\n' })
})
afterEach(() => landing.remove())

const inWorktree = (...args: string[]) => landing.repository.git('-C', work.path, ...args)
const edit = () => appendFileSync(join(work.path, 'a.txt'), 'more\n')
const state = () =>
  landing.vcs.workState(work.place, {
    sha: work.head,
    tree: landing.repository.git('rev-parse', `${work.head}^{tree}`),
  })

describe('work is still as recorded', () => {
  it.each<[string, () => void]>([
    ['when nobody touched it', () => {}],
    ['when it was only looked at', () => inWorktree('status')],
    ['when its files are, whatever is staged', () => inWorktree('rm', '-q', '--cached', 'b.txt')],
    [
      'when a change was taken back',
      () => {
        edit()
        inWorktree('checkout', '-q', '--', 'a.txt')
      },
    ],
    ['when something was put there that git ignores', () => writeFileSync(join(work.path, 'ignored'), 'x')],
    ['when its worktree is gone', () => rmSync(work.path, { recursive: true })],
  ])('%s', async (_, change) => {
    change()
    expect(await state()).toEqual({ isChanged: false, unmerged: [] })
  })
})

describe('work is changed', () => {
  it.each<[string, () => void]>([
    ['by an edit', edit],
    ['by a new file', () => writeFileSync(join(work.path, 'new.txt'), 'new\n')],
    ['by a commit', () => inWorktree('commit', '-q', '--allow-empty', '-m', 'Mine')],
    [
      'by an edit that git was told to overlook',
      () => {
        edit()
        inWorktree('update-index', '--assume-unchanged', 'a.txt')
      },
    ],
    [
      'by a branch that leads to another',
      () => landing.repository.git('symbolic-ref', `refs/heads/${work.place.branch}`, 'refs/heads/main'),
    ],
  ])('%s', async (_, change) => {
    change()
    expect(await state()).toEqual({ isChanged: true, unmerged: [] })
  })
})

it('names the files of an unresolved merge, even if nothing is recorded', async () => {
  landing.repository.commit('Meanwhile', { 'a.txt': 'theirs\n' })
  expect(() => inWorktree('merge', '-q', 'main')).toThrow()
  const unmerged = { isChanged: true, unmerged: ['a.txt'] }
  expect(await state()).toEqual(unmerged)
  expect(await landing.vcs.workState(work.place, null)).toEqual(unmerged)
})

it('fails when the worktree now belongs to another repository', async () => {
  const { repository, vcs } = landing
  const foreign = join(repository.folder, 'foreign.git')
  repository.git('init', '-q', '--bare', foreign)
  writeFileSync(join(repository.root, '.git/worktrees/1-task-1/commondir'), `${foreign}\n`)
  await expect(vcs.restoreBranch(work.place, work.head)).rejects.toMatchObject({ name: 'VcsError' })
})
