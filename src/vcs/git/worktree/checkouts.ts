/** The checkouts that live for one session or one command: reviewers' clones and scratch worktrees. */
import { lstat, readdir, readFile, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { VcsError } from '../../../core/errors.ts'
import { readRegular } from '../../../lib/file/read-regular.ts'
import type { CheckoutNeeds } from '../../worktrees.ts'
import { type GitContext, mainRoot, readCommit, readLink } from '../context.ts'
import { gitFailure } from '../run.ts'
import { prepareCheckout } from './prepare-checkout.ts'
import { addWorktree, forgetWorktree } from './worktree.ts'

export function checkoutPath(git: GitContext, kind: 'clones' | 'scratch', name: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name))
    throw new VcsError(`${JSON.stringify(name)} is not a valid name for a checkout.`)
  return join(git.home, kind, name)
}

/**
 * A worktree and not a clone, because commands run in it. It has the filters and settings of the repository, like the
 * developer's worktree. It is always created fresh.
 */
export async function openScratch(
  git: GitContext,
  name: string,
  commit: string,
  needs: CheckoutNeeds,
  signal: AbortSignal,
): Promise<string> {
  const { path, gitDir } = await addScratch(git, name, commit, signal)
  await prepareCheckout({ path, gitDir, source: mainRoot(git) }, needs, signal)
  return path
}

/** The same, but not yet prepared for commands to run in it. */
export async function addScratch(
  git: GitContext,
  name: string,
  commit: string,
  signal: AbortSignal,
): Promise<{ path: string; gitDir: string }> {
  const path = checkoutPath(git, 'scratch', name)
  await removeScratch(git, path)
  const added = await addWorktree(git, ['--detach', path, commit], signal)
  const link = await readLink(git, path)
  if (link.kind !== 'linked') throw gitFailure(['worktree add'], added, git.limits.checkoutMs)
  return { path, gitDir: link.gitDir }
}

export async function listCheckouts(git: GitContext): Promise<string[]> {
  const folders = ['clones', 'scratch'].map((kind) => readdir(join(git.home, kind)).catch(() => []))
  const names = await Promise.all([...folders, listRegistered(git)])
  return [...new Set(names.flat())]
}

/** Includes checkouts of which only git's entry is left, because a worker was killed while removing them. */
async function listRegistered(git: GitContext): Promise<string[]> {
  const folder = join(git.common, 'worktrees')
  const entries = await readdir(folder).catch(() => [])
  const links = await Promise.all(
    entries.map((entry) => readFile(join(folder, entry, 'gitdir'), 'utf8').catch(() => '')),
  )
  const paths = links.map((link) => dirname(link.trim()))
  return paths.filter((path) => dirname(path) === join(git.home, 'scratch')).map((path) => basename(path))
}

export async function removeCheckout(git: GitContext, name: string): Promise<void> {
  await git.guard()
  const clone = checkoutPath(git, 'clones', name)
  if (await isReal(join(git.home, 'clones'))) await rm(clone, { recursive: true, force: true, maxRetries: 3 })
  await removeScratch(git, checkoutPath(git, 'scratch', name))
}

async function removeScratch(git: GitContext, path: string): Promise<void> {
  if (!(await isReal(join(git.home, 'scratch')))) return
  await git.guard()
  const registered = await isRegistered(git, path)
  // A link is removed, never followed.
  await rm(path, { recursive: true, force: true, maxRetries: 3 })
  if (registered) await forgetWorktree(git, path)
}

/** False if the folder was replaced by a link: what is behind it is not ours to delete. */
async function isReal(folder: string): Promise<boolean> {
  return (await lstat(folder).catch(() => null))?.isDirectory() ?? false
}

/** Git names the entry after the folder, and adds a number if the name was taken. */
async function isRegistered(git: GitContext, path: string): Promise<boolean> {
  const link = await readLink(git, path)
  if (link.kind === 'linked') return true
  const name = path.slice(path.lastIndexOf('/') + 1)
  const entries = await readdir(join(git.common, 'worktrees')).catch(() => [])
  return entries.some((entry) => entry.startsWith(name))
}

/**
 * The commit of a scratch checkout, read from its HEAD file. It is on no branch, unless a command that ran there
 * switched.
 */
export async function readScratchHead(
  git: GitContext,
  { path, gitDir }: { path: string; gitDir: string },
): Promise<string> {
  const text = (await readRegular(join(gitDir, 'HEAD'), 100)) ?? ''
  if (/^[0-9a-f]{40}([0-9a-f]{24})?\n$/.test(text)) return text.trim()
  return (await readCommit(git, path, 'HEAD')).sha
}
