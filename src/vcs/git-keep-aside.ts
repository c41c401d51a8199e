/**
 * Keeps what somebody who had no business there left in a loop's branch or worktree, before both are put back: as a
 * commit under a ref of its own, so that nothing is lost even if it was a person's.
 */
import type { Place } from '../core/event.ts'
import { type GitContext, readLink, worktreePath } from './git-context.ts'
import { isClean, lookThrough, requireCheckout } from './git-look.ts'
import { stageAll } from './git-stage.ts'

const umpire = {
  GIT_AUTHOR_NAME: 'Umpire',
  GIT_AUTHOR_EMAIL: 'umpire@localhost',
  GIT_COMMITTER_NAME: 'Umpire',
  GIT_COMMITTER_EMAIL: 'umpire@localhost',
}

/** The name of the ref, or null when everything is as the commit says, or when the worktree is gone. */
export async function keepAside(
  git: GitContext,
  place: Place,
  sha: string,
  name: string,
): Promise<string | null> {
  if ((await readLink(git, worktreePath(git, place))).kind !== 'linked') return null
  const checkout = await requireCheckout(git, place)
  const { path: cwd } = checkout
  const seen = await lookThrough(git, checkout)
  if (seen.branch === place.branch && seen.head === sha && isClean(seen)) return null
  await stageAll(git, checkout, seen)
  const call = { cwd, mode: 'write' } as const
  const tree = (await git.run(['write-tree'], call)).stdout.toString('utf8').trim()
  const parents = seen.head === '' ? [] : ['-p', seen.head]
  const stdin = `What was found instead of ${sha}\n`
  const made = await git.run(['commit-tree', tree, ...parents, '-F', '-'], { ...call, stdin, env: umpire })
  const ref = `refs/umpire/kept/${name}`
  await git.run(['update-ref', ref, made.stdout.toString('utf8').trim()], call)
  return ref
}
