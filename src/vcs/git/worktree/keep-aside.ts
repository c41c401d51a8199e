/**
 * Saves unexpected changes in a loop's branch or worktree before both are restored: as a commit under its own ref, so
 * that nothing is lost even if it was a person's work.
 */
import type { Place } from '../../../core/place.ts'
import { type GitContext, readLink, worktreePath } from '../context.ts'
import { umpireIdentity } from '../message.ts'
import { type Checkout, isClean, type Look, lookThrough, requireCheckout } from './look.ts'
import { stageAll } from './stage.ts'

/** The name of the ref. Null if everything matches the commit, or if the worktree is gone. */
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
  const parents = seen.head === '' ? [] : [seen.head]
  const made = await commitAside(git, checkout, seen, parents, `What was found instead of ${sha}`)
  const ref = `${keptRefs}/${name}`
  await git.run(['update-ref', '--no-deref', ref, made], { cwd, mode: 'write' })
  return ref
}

export const keptRefs = 'refs/umpire/kept'

/** A commit of everything that is in the worktree. It belongs to no branch. */
export async function commitAside(
  git: GitContext,
  checkout: Checkout,
  seen: Look,
  parents: string[],
  message: string,
): Promise<string> {
  await stageAll(git, checkout, seen)
  const call = { cwd: checkout.path, mode: 'write' } as const
  const tree = (await git.run(['write-tree'], call)).stdout.toString('utf8').trim()
  const args = ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-F', '-']
  const made = await git.run(args, { ...call, stdin: `${message}\n`, env: umpireIdentity })
  return made.stdout.toString('utf8').trim()
}
