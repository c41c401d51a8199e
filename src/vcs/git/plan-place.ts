/** Chooses the branch and the worktree for the loop of a task, named after the task. */
import { lstat, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { UserError } from '../../core/errors.ts'
import type { Place } from '../../core/place.ts'
import { type GitContext, mainRoot, readHeadFile, refOf } from './context.ts'
import { keepsTables } from './own-refs.ts'

const maxSlug = 40

export async function readBase(git: GitContext): Promise<{ branch: string; commit: string }> {
  const plain = git.cwd === mainRoot(git) ? await readHeadFile(git, git.common) : null
  if (plain) return plain
  const found = await git.run(['rev-parse', 'HEAD', '--symbolic-full-name', 'HEAD'], {
    cwd: git.cwd,
    ok: [0, 128],
  })
  const [commit, ref] = found.stdout.toString('utf8').split('\n')
  if (found.code !== 0 || !commit || !ref) {
    throw new UserError(
      'The checked-out branch has no commits yet.',
      'Commit something first, for example: git commit --allow-empty -m "Start".',
    )
  }
  if (!ref.startsWith('refs/heads/')) {
    throw new UserError(
      `HEAD is detached at ${commit.slice(0, 10)}, so there is no branch to merge the work into.`,
      'Check out a branch first: git switch BRANCH, or git switch -c NEW-BRANCH.',
    )
  }
  return { branch: ref.slice('refs/heads/'.length), commit }
}

export async function planPlace(git: GitContext, task: { id: number; title: string }): Promise<Place> {
  const name = `${task.id}-${slugOf(task.title)}`
  const branch = `umpire/${name}`
  const [base, taken] = await Promise.all([readBase(git), readTaken(git, branch)])
  // A ref is a path, so a branch named `umpire`, or one below ours, can't exist at the same time.
  const rival = taken.find((ref) => ref === 'umpire' || ref === branch || ref.startsWith(`${branch}/`))
  if (rival !== undefined) {
    throw new UserError(
      rival === branch
        ? `A branch ${branch} already exists.`
        : `Git can't create the branch ${branch}, because there is a branch ${rival}.`,
      `Rename it (git branch -m ${rival} OTHER-NAME), or delete it if you do not need it. Then run umpire retry ${task.id}.`,
    )
  }
  return { branch, base: base.branch, baseCommit: base.commit, worktree: `worktrees/${name}` }
}

/**
 * Only lower-case ASCII letters, digits and dashes, and never empty. Whatever a title contains, git never reads it as
 * syntax.
 */
export function slugOf(title: string): string {
  const slug = title
    .slice(0, 1_000)
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, maxSlug)
    .replace(/-$/, '')
  return slug === '' ? 'task' : slug
}

async function readTaken(git: GitContext, branch: string): Promise<string[]> {
  if (await isSurelyFree(git, branch)) return []
  const args = ['for-each-ref', '--format=%(refname)', refOf('umpire')]
  const { stdout } = await git.run(args, { cwd: git.cwd })
  const refs = stdout.toString('utf8').split('\n')
  return refs.filter((ref) => ref !== '').map((ref) => ref.slice('refs/heads/'.length))
}

/** Checks without git whether the name is free: no ref of that name, above it or below it has a file or is packed. */
async function isSurelyFree(git: GitContext, branch: string): Promise<boolean> {
  const { common } = git
  const [above, own] = await Promise.all(
    [refOf('umpire'), refOf(branch)].map((name) => lstat(join(common, name)).catch(() => null)),
  )
  if (own || (above && !above.isDirectory()) || (await keepsTables(git))) return false
  const packed = await readFile(join(common, 'packed-refs'), 'utf8').catch(missing)
  const names = [`${refOf('umpire')}\n`, `${refOf(branch)}\n`, `${refOf(branch)}/`]
  return names.every((name) => !packed.includes(` ${name}`))
}

function missing(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return ''
  throw error
}
