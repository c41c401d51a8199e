/**
 * The start commit of a task that depends on others: a commit with all their approved work. If one of them contains the
 * others, it is that one. Otherwise Umpire merges them, without hooks and under its own name, because the merge is no
 * one's work and lands only together with its parts. Repeating it gives the same commit.
 */
import { VcsError } from '../../../core/errors.ts'
import type { Part, StartPoint, StartRequest } from '../../merges.ts'
import type { GitContext } from '../context.ts'
import { umpireIdentity } from '../message.ts'
import { gitFailure } from '../run.ts'
import { requireWhole } from '../verify-objects.ts'
import { addScratch, readScratchHead, removeCheckout } from '../worktree/checkouts.ts'
import { keepStart } from './keep-start.ts'
import { merge } from './merge.ts'

export async function startFrom(
  git: GitContext,
  { name, parts }: StartRequest,
  signal: AbortSignal,
): Promise<StartPoint> {
  const [first, ...more] = await dropContained(git, parts)
  if (!first) throw new VcsError('There is no commit to start from.')
  if (more.length === 0) return { kind: 'commit', commit: first.commit }
  for (const part of more) await requireWhole(git, first.commit, part.commit)
  try {
    const scratch = await addScratch(git, name, first.commit, signal)
    const date = await newestDate(git, [first, ...more])
    const env = { ...umpireIdentity, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date }
    const manner = { mode: 'write', env, limitMs: git.limits.checkoutMs } as const
    for (const part of more) {
      const { commit, branch } = part
      const message = `Merge ${branch}, which the next task depends on`
      const merged = await merge(git, scratch.path, { commit, message }, manner, signal)
      if (merged.kind === 'merged') continue
      if (merged.kind === 'refused') throw gitFailure(['merge'], merged.result, manner.limitMs)
      const sofar = await readScratchHead(git, scratch)
      await keepStart(git, name, sofar)
      return { kind: 'conflict', merged: sofar, with: part, files: merged.files }
    }
    const commit = await readScratchHead(git, scratch)
    await keepStart(git, name, commit)
    return { kind: 'commit', commit }
  } finally {
    await removeCheckout(git, name)
  }
}

/** In the same order, without parts that another part contains. Of equal ones the first stays. */
async function dropContained(git: GitContext, parts: Part[]): Promise<Part[]> {
  const distinct = parts.filter(
    ({ commit }, at) => parts.findIndex((other) => other.commit === commit) === at,
  )
  if (distinct.length < 2) return distinct
  const args = ['--bare', 'merge-base', '--independent', ...distinct.map(({ commit }) => commit)]
  const { stdout } = await git.run(args, { cwd: git.common })
  const heads = new Set(stdout.toString('utf8').split('\n'))
  return distinct.filter(({ commit }) => heads.has(commit))
}

/** In git's own format: seconds and a time zone. */
async function newestDate(git: GitContext, parts: Part[]): Promise<string> {
  const args = ['--bare', 'rev-list', '--no-walk', '--timestamp', ...parts.map(({ commit }) => commit)]
  const { stdout } = await git.run(args, { cwd: git.common })
  const seconds = stdout
    .toString('utf8')
    .split('\n')
    .map((line) => Number(line.split(' ', 1)[0]))
  return `${Math.max(...seconds)} +0000`
}
