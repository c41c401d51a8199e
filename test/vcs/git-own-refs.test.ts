/** Developers can write to the folder of Umpire's own branches. Nothing they put there moves a person's branch. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest'
import type { CommitRecord } from '../../src/core/place.ts'
import { never, noNeeds } from '../contract/vcs-under-test.ts'
import { openLanding } from './open-landing.ts'
import { type OpenLoop, openLoop } from './open-loop.ts'

describe("a loop's branch", () => {
  let loop: OpenLoop
  let done: CommitRecord
  let main: string
  let ref: string
  beforeEach(async () => {
    loop = await openLoop()
    loop.write({ 'a.txt': 'recorded\n' })
    done = await loop.commit()
    main = loop.git('rev-parse', 'main')
    ref = join(loop.repository.root, '.git/refs/heads', loop.place.branch)
  })
  afterEach(() => {
    // Leave no pipe behind that could break the deletion of the folder.
    rmSync(ref, { force: true })
    loop.remove()
  })

  const plain = () => [loop.git('rev-parse', 'HEAD'), loop.git('symbolic-ref', 'HEAD')]
  const expectMended = (sha: string) => {
    expect(plain()).toEqual([sha, `refs/heads/${loop.place.branch}`])
    expect(loop.git('rev-parse', 'main')).toBe(main)
    expect(readFileSync(ref, 'utf8')).toBe(`${sha}\n`)
  }

  const replaced: [string, () => void, string][] = [
    ['a link to main', () => writeFileSync(ref, 'ref: refs/heads/main\n'), 'a link to main'],
    [
      'a link to itself',
      () => writeFileSync(ref, `ref: refs/heads/${loop.place.branch}`),
      'a link to umpire/',
    ],
    [
      'a link of the file system',
      () => put(() => symlinkSync('refs/heads/main', ref)),
      'a link to refs/heads',
    ],
    ['a pipe', () => put(() => execFileSync('mkfifo', [ref])), 'a pipe, a socket or a device'],
    ['no commit', () => writeFileSync(ref, 'evil\n'), 'something that is not a commit'],
    ['a file without end', () => truncateSync(ref, 8 * 1024 ** 3), 'something that is not a commit'],
  ]
  function put(make: () => void): void {
    rmSync(ref)
    make()
  }

  test.each(replaced)(
    'that was replaced by %s is reset to the recorded commit, and the files are kept',
    async (...row) => {
      const [, replace, words] = row
      loop.write({ 'a.txt': 'more\n' })
      replace()
      const restored = await loop.vcs.restoreBranch(loop.place, done.sha)
      expect(restored).toEqual({
        kind: 'restored',
        what: expect.stringContaining(`the branch ${loop.place.branch} was replaced by ${words}`),
      })
      expectMended(done.sha)
      expect(loop.read('a.txt')).toBe('more\n')
      expect(await loop.vcs.restoreBranch(loop.place, done.sha)).toEqual({ kind: 'fine' })
    },
  )

  test.each(['index', 'HEAD'])(
    'is restored when the %s of its worktree was replaced by a pipe',
    async (name) => {
      loop.write({ 'a.txt': 'more\n' })
      rmSync(join(loop.gitDir, name))
      execFileSync('mkfifo', [join(loop.gitDir, name)])
      expect(await loop.vcs.restoreBranch(loop.place, done.sha)).toEqual({
        kind: 'restored',
        what: expect.stringContaining(
          `the worktree's git folder contained entries that are not files: ${name}`,
        ),
      })
      expectMended(done.sha)
      expect(loop.read('a.txt')).toBe('more\n')
      expect(loop.git('status', '--porcelain').trim()).toBe('M a.txt')
    },
  )

  it('is also restored if it was packed', async () => {
    loop.git('pack-refs', '--all')
    mkdirSync(join(ref, '..'), { recursive: true })
    writeFileSync(ref, 'ref: refs/heads/main\n')
    expect(await loop.vcs.restoreBranch(loop.place, done.sha)).toMatchObject({ kind: 'restored' })
    expectMended(done.sha)
  })

  it('is repaired before a commit on it', async () => {
    loop.write({ 'a.txt': 'more\n' })
    writeFileSync(ref, 'ref: refs/heads/main\n')
    const next = await loop.commit({ recorded: done.sha, attempt: '1/2' })
    expectMended(next.sha)
    expect(loop.git('rev-parse', `${next.sha}~1`)).toBe(done.sha)
  })

  it("is repaired before a gate's leftovers are discarded", async () => {
    loop.write({ 'a.txt': 'left by a gate\n' })
    writeFileSync(ref, 'ref: refs/heads/main\n')
    await loop.vcs.discard(loop.place, done.sha)
    expectMended(done.sha)
    expect(loop.read('a.txt')).toBe('recorded\n')
  })

  it('is repaired when its worktree is opened, and on request', async () => {
    const place = { ...loop.place, start: done.sha }
    writeFileSync(ref, 'ref: refs/heads/main\n')
    expect(await loop.vcs.openWorktree(place, noNeeds, never)).toMatchObject({ head: done.sha })
    expectMended(done.sha)
    writeFileSync(ref, 'ref: refs/heads/main\n')
    await loop.vcs.mendBranch(place)
    expectMended(done.sha)
  })

  it('is neither read by a snapshot nor cleaned up after it was replaced by a link', async () => {
    writeFileSync(ref, 'ref: refs/heads/main\n')
    await expect(loop.vcs.snapshot(loop.place, never)).rejects.toThrow('was replaced by a link to main')
    const why = `the branch ${loop.place.branch} was replaced by a link to main`
    expect(await loop.vcs.removeWork(loop.place, 'merged')).toEqual({ kind: 'kept', why })
    expect(loop.git('rev-parse', 'main')).toBe(main)
  })

  it('next to a pipe: landing refuses the pipe with a message, and restoring after the developer removes it', async () => {
    const other = `${ref}-b`
    execFileSync('mkfifo', [other])
    await expect(loop.vcs.branchHead(`${loop.place.branch}-b`)).rejects.toThrow('is not a ref')
    await expect(loop.vcs.isWaiting(loop.place, done.sha)).rejects.toThrow(`${other} is not a ref`)
    expect(await loop.vcs.restoreBranch(loop.place, done.sha)).toEqual({
      kind: 'restored',
      what: `the folder of refs contained files that are not refs: refs/heads/${loop.place.branch}-b`,
    })
    expect(await loop.vcs.isWaiting(loop.place, done.sha)).toBe(false)
  })
})

test('does not move the base when the waiting branch was replaced by a link to it', async () => {
  const landing = openLanding()
  try {
    const { git, root } = landing.repository
    const one = await landing.work(1, { 'one.txt': '1\n' })
    const two = await landing.work(2, { 'two.txt': '2\n' })
    const soil = () => writeFileSync(join(root, 'a.txt'), 'mine\n')
    soil()
    expect(await landing.land(one)).toMatchObject({ kind: 'waits', branch: 'umpire/landed' })
    git('stash', '-q')
    git('merge', '-q', '--ff-only', one.head)
    // The record of the waiting branch names the same commit as the link, so it passes for Umpire's own.
    writeFileSync(join(root, '.git/refs/heads/umpire/landed'), 'ref: refs/heads/main\n')
    soil()
    expect(await landing.land(two)).toMatchObject({ kind: 'waits' })
    expect(git('rev-parse', 'main')).toBe(one.head)
  } finally {
    landing.remove()
  }
})
