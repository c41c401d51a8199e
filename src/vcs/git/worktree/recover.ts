/**
 * Cleans up after a worker that died in the middle of a git operation. Its git process runs on without it, with a hook
 * perhaps for minutes, and a killed git leaves its locks. Git itself waits for neither. Every step of a loop can be
 * repeated, so what is still running is stopped and its remains are removed.
 */

import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Place } from '../../../core/place.ts'
import { exists } from '../../../lib/file/exists.ts'
import { endTree } from '../../../lib/process/process-tree.ts'
import { type GitContext, readLink, refOf, worktreePath } from '../context.ts'
import { gitMark, markOf } from '../run.ts'
import { clearSnapshots } from './snapshot.ts'

/** At SIGTERM git removes its locks and exits at once. A hook may need a moment. */
const graceMs = 2_000
/** A lock of a living process, such as the user's own git in that folder, is gone after this time. */
const lockMs = 1_000

export async function recover(git: GitContext, place: Place): Promise<void> {
  await git.guard()
  await endTree({ name: gitMark, value: markOf(worktreePath(git, place)) }, graceMs)
  await clearLocks(git, place)
  const link = await readLink(git, worktreePath(git, place))
  if (link.kind === 'linked') await clearSnapshots(link.gitDir)
}

/** Call this only when no session of ours works in the worktree. */
export async function clearLocks(git: GitContext, place: Place): Promise<void> {
  const link = await readLink(git, worktreePath(git, place))
  // A worktree that is just being created has a lock but no index yet. `openWorktree` handles that.
  if (link.kind !== 'linked' || !(await exists(join(link.gitDir, 'index')))) return
  const locks = ['index.lock', 'HEAD.lock'].map((name) => join(link.gitDir, name))
  locks.push(join(git.common, `${refOf(place.branch)}.lock`))
  const deadline = Date.now() + lockMs
  for (const lock of locks) {
    while ((await exists(lock)) && Date.now() < deadline) await delay(20)
    if (!(await exists(lock))) continue
    await git.guard()
    await rm(lock, { force: true })
  }
}
