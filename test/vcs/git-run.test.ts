import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openGit } from '../../src/vcs/git/open-git.ts'
import { never, noNeeds } from '../contract/vcs-under-test.ts'
import { type FakeGit, makeFakeGit } from '../support/fake-git.ts'
import { type OpenLoop, openLoop } from './open-loop.ts'

describe('calling git', () => {
  let loop: OpenLoop
  let fake: FakeGit
  beforeEach(async () => {
    const env: NodeJS.ProcessEnv = {}
    loop = await openLoop({
      env,
      limits: { commandMs: 20_000, lockMs: 2_000 },
      prepare({ folder }) {
        fake = makeFakeGit(folder)
        Object.assign(env, fake.env)
      },
    })
    loop.write({ 'new.txt': 'new\n' })
  })
  afterEach(() => loop.remove())

  it('stops a git that hangs and says so', async () => {
    const { repository, place } = loop
    fake.when('status', 'sleep 600')
    const vcs = openGit({
      cwd: repository.root,
      home: repository.home,
      env: fake.env,
      limits: { commandMs: 1_500 },
    })
    await expect(vcs.discard(place, place.baseCommit)).rejects.toMatchObject({
      name: 'VcsError',
      message: 'git status was stopped because it took longer than 2 s.',
      fix: expect.stringContaining('git works'),
    })
  })

  it('passes on the error message of a git that fails', async () => {
    fake.when(
      'add',
      'echo "hint: never mind" >&2',
      'echo "fatal: the object store is damaged" >&2',
      'exit 128',
    )
    await expect(loop.tryCommit()).rejects.toMatchObject({
      name: 'VcsError',
      message: 'git add failed (exit code 128): fatal: the object store is damaged',
    })
  })

  it('recognizes a full disk', async () => {
    fake.when('add', 'echo "fatal: unable to write: No space left on device" >&2', 'exit 128')
    await expect(loop.tryCommit()).rejects.toMatchObject({ name: 'VcsError', code: 'ENOSPC' })
  })

  it('retries while another git holds a lock', async () => {
    const once = join(loop.repository.folder, 'once')
    const refuse = `echo "fatal: Unable to create '/x/index.lock': File exists." >&2; exit 128`
    fake.when('add', `[ -e ${once} ] || { touch ${once}; ${refuse}; }`)
    expect((await loop.commit()).empty).toBe(false)
    expect(fake.calls().filter((call) => call === 'add')).toHaveLength(2)
  })

  it('retries while another worktree is being made', async () => {
    const once = join(loop.repository.folder, 'once')
    const refuse = 'echo "fatal: failed to read worktrees/9-x/commondir: Success" >&2; exit 128'
    fake.when('worktree add', `[ -e ${once} ] || { touch ${once}; ${refuse}; }`)
    const place = await loop.vcs.plan({ id: 2, title: 'Another' })
    expect((await loop.vcs.openWorktree(place, noNeeds, never)).head).toBe(place.baseCommit)
  })

  it('removes a worktree even if git fails on another one that is being made', async () => {
    const { vcs, place, path, repository } = loop
    const { sha } = await loop.commit()
    // The state of `git worktree add` between creating its last file and filling it.
    const entry = join(repository.root, '.git/worktrees/9-other')
    const begin = `mkdir ${entry}; echo /nowhere/.git > ${entry}/gitdir; : > ${entry}/commondir`
    const once = join(repository.folder, 'once')
    fake.when('worktree remove', `if [ -e ${once} ]; then rm -rf ${entry}; else touch ${once}; ${begin}; fi`)
    expect(await vcs.dropWorktree(place, sha)).toBe('dropped')
    expect(existsSync(path)).toBe(false)
    expect(existsSync(entry)).toBe(false)
  })

  it('starts few processes', async () => {
    const { vcs } = loop
    const count = async <T>(doing: Promise<T>): Promise<[T, number]> => {
      const result = await doing
      return [result, fake.calls().length]
    }
    fake.calls()
    const place = await vcs.plan({ id: 2, title: 'Counted' })
    expect(fake.calls()).toEqual([])
    const [{ path, head }, opening] = await count(vcs.openWorktree(place, noNeeds, never))
    const [, openingAgain] = await count(vcs.openWorktree(place, noNeeds, never))
    loop.repository.write({ '.umpire/worktrees/2-counted/new.txt': 'new\n' })
    const [, settling] = await count(vcs.restoreBranch(place, head))
    const request = {
      message: 'T',
      attempt: '2/1',
      session: '2-1',
      iteration: 1,
      recorded: head,
      hookLimitMs: 60_000,
    }
    const [outcome, committing] = await count(vcs.commit(place, request, never))
    if (outcome.kind !== 'committed') throw new Error('refused')
    const [, discarding] = await count(vcs.discard(place, outcome.commit.sha))
    loop.repository.write({ '.umpire/worktrees/2-counted/a.txt': 'left behind\n' })
    const [, discardingMore] = await count(vcs.discard(place, outcome.commit.sha))
    const [, diffing] = await count(vcs.diff(place, outcome.commit.tree))
    const [{ state }, cloning] = await count(vcs.openClone('c', place, outcome.commit.tree))
    const [, comparing] = await count(vcs.tampered('c', place, state))
    expect(path).toContain('2-counted')
    expect({
      opening,
      openingAgain,
      settling,
      committing,
      discarding,
      discardingMore,
      diffing,
      cloning,
      comparing,
    }).toEqual({
      opening: 1,
      openingAgain: 0,
      settling: 0,
      committing: 6,
      discarding: 1,
      discardingMore: 3,
      diffing: 1,
      cloning: 3,
      comparing: 3,
    })
  })
})
