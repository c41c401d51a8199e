/**
 * Finds which checkouts have a branch checked out: the user's main checkout, the user's worktrees, and ours. Moving a
 * branch under a checkout makes everything in it look changed, so every caller that moves one must ask here first.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type GitContext, mainRoot, readLink, refOf } from '../context.ts'
import { requireReadable } from '../own-refs.ts'

export interface Holder {
  path: string
  /** Null if the folder is gone, or is on a disk that is not mounted. */
  gitDir: string | null
  /** The branch that is checked out, or that a rebase or bisect there will return to. */
  branch: string | null
  locked: boolean
}

export async function readHolders(git: GitContext): Promise<Holder[]> {
  await requireReadable(git)
  const { stdout } = await git.run(['worktree', 'list', '--porcelain'], { cwd: mainRoot(git) })
  const records = stdout.toString('utf8').trimEnd().split('\n\n')
  return Promise.all(records.map((record, place) => readHolder(git, record.split('\n'), place === 0)))
}

export function holdersOf(holders: Holder[], branch: string): Holder[] {
  return holders.filter((holder) => holder.branch === branch)
}

/** A path with a line break is not parsed and counts as gone, which is safe. */
async function readHolder(git: GitContext, lines: string[], isMain: boolean): Promise<Holder> {
  const told = (name: string) =>
    lines.find((line) => line === name || line.startsWith(`${name} `))?.slice(name.length + 1)
  // Git guesses the path of the main checkout from its git folder, which may be elsewhere.
  const path = isMain ? mainRoot(git) : (told('worktree') ?? '')
  const link = isMain ? { kind: 'linked' as const, gitDir: git.common } : await readLink(git, path)
  const gitDir = link.kind === 'linked' ? link.gitDir : null
  const ref = told('branch') ?? (gitDir === null ? null : await readAway(gitDir))
  const branch = ref?.startsWith(refOf('')) ? ref.slice(refOf('').length) : null
  return { path, gitDir, branch, locked: told('locked') !== undefined }
}

/** The branch that a running rebase or bisect has left. */
async function readAway(gitDir: string): Promise<string | null> {
  for (const folder of ['rebase-merge', 'rebase-apply']) {
    const name = await readFile(join(gitDir, folder, 'head-name'), 'utf8').catch(() => null)
    if (name !== null) return name.trim()
  }
  const start = await readFile(join(gitDir, 'BISECT_START'), 'utf8').catch(() => null)
  return start === null ? null : refOf(start.trim())
}
