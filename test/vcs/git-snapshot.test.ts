import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { never } from '../contract/vcs-under-test.ts'
import { gitIn, writeFiles } from '../support/repository.ts'
import { type LoopOptions, type OpenLoop, openLoop } from './open-loop.ts'

describe('a snapshot in git', () => {
  let loop: OpenLoop
  const open = async (options?: LoopOptions) => {
    loop = await openLoop(options)
    return loop
  }
  const snapshot = () => loop.vcs.snapshot(loop.place, never)
  const indexFile = () => readFileSync(join(loop.gitDir, 'index'), 'hex')
  const leftovers = () => readdirSync(loop.gitDir).filter((name) => name.includes('snapshot'))
  afterEach(() => loop?.remove())

  it("leaves the developer's index alone, even half staged and locked", async () => {
    const { git, write } = await open()
    write({ 'a.txt': 'staged\n' })
    git('add', 'a.txt')
    write({ 'a.txt': 'unstaged\n', 'new.txt': 'new\n' })
    writeFileSync(join(loop.gitDir, 'index.lock'), '')
    const before = indexFile()
    const tree = await snapshot()
    expect(git('show', `${tree}:a.txt`)).toBe('unstaged')
    expect(loop.filesIn(tree)).toEqual(['a.txt', 'b.txt', 'new.txt'])
    expect(indexFile()).toBe(before)
    expect(existsSync(join(loop.gitDir, 'index.lock'))).toBe(true)
    expect(leftovers()).toEqual([])
  })

  it('includes files that git was told to overlook, and git keeps overlooking them for the developer', async () => {
    const { git, write } = await open()
    const before = await snapshot()
    git('update-index', '--assume-unchanged', 'a.txt')
    git('update-index', '--skip-worktree', 'b.txt')
    write({ 'a.txt': 'hidden\n', 'b.txt': 'hidden\n' })
    const tree = await snapshot()
    expect(tree).not.toBe(before)
    expect(git('show', `${tree}:b.txt`)).toBe('hidden')
    expect(git('ls-files', '-v')).toBe('h a.txt\nS b.txt')
  })

  it('contains the files of a nested repository', async () => {
    const { path, write } = await open()
    write({ 'inner/own.txt': 'one\n' })
    gitIn(join(path, 'inner'), 'init', '-q')
    const tree = await snapshot()
    expect(loop.filesIn(tree)).toContain('inner/own.txt')
    write({ 'inner/own.txt': 'two\n' })
    expect(await snapshot()).not.toBe(tree)
  })

  it('works with an index that is split over two files', async () => {
    const { git, write } = await open()
    git('update-index', '--split-index')
    write({ 'new.txt': 'new\n' })
    expect(loop.filesIn(await snapshot())).toEqual(['a.txt', 'b.txt', 'new.txt'])
    expect(git('ls-files')).toBe('a.txt\nb.txt')
  })

  it('fails when the worktree is gone, and when the signal aborts it', async () => {
    await open()
    await expect(loop.vcs.snapshot(loop.place, AbortSignal.abort(new Error('stop')))).rejects.toThrow('stop')
    expect(leftovers()).toEqual([])
    const elsewhere = { ...loop.place, worktree: 'worktrees/gone' }
    await expect(loop.vcs.snapshot(elsewhere, never)).rejects.toThrow('is no longer a worktree')
  })

  it('is not taken for a worker that has lost its claim', async () => {
    await open()
    writeFiles(loop.path, { 'new.txt': 'new\n' })
    const loser = loop.vcs.guardedBy(() => Promise.reject(new Error('taken over')))
    await expect(loser.snapshot(loop.place, never)).rejects.toThrow('taken over')
    expect(leftovers()).toEqual([])
  })

  it('that a dead worker left behind is removed by the next worker', async () => {
    await open()
    writeFileSync(join(loop.gitDir, 'umpire-snapshot-dead'), '')
    await loop.vcs.recover(loop.place)
    expect(leftovers()).toEqual([])
  })
})
