/**
 * Whether a task's branch and worktree match the record. Usually they do, and one `git status` shows it. Only if it
 * lists something is the content compared with the record.
 */
import type { Place } from '../../../core/place.ts'
import type { WorkState } from '../../worktrees.ts'
import { type GitContext, readBranch, readLink, worktreePath } from '../context.ts'
import { whatReplaced } from '../own-refs.ts'
import { isClean, look, lookAtChanges, requireCheckout } from './look.ts'
import { snapshot } from './snapshot.ts'

const never = new AbortController().signal

export async function readWorkState(
  git: GitContext,
  place: Place,
  recorded: { sha: string; tree: string } | null,
): Promise<WorkState> {
  // The branch is restored before the work is collected. Until then git must not follow the replacement.
  if ((await whatReplaced(git, place.branch)) !== null) return { isChanged: true, unmerged: [] }
  const isMoved = recorded !== null && (await readBranch(git, place.branch)) !== recorded.sha
  if ((await readLink(git, worktreePath(git, place))).kind !== 'linked')
    return { isChanged: isMoved, unmerged: [] }
  const seen = await look(git, await requireCheckout(git, place))
  const unmerged = seen.changes.filter(({ kind }) => kind === 'unmerged').map(({ path }) => path)
  if (isMoved || unmerged.length > 0) return { isChanged: true, unmerged }
  if (recorded === null) return { isChanged: false, unmerged }
  if (seen.head === recorded.sha && isClean(seen) && seen.hidden.length === 0)
    return { isChanged: false, unmerged }
  return { isChanged: (await snapshot(git, place, never)) !== recorded.tree, unmerged }
}

const maxBytes = 16 * 1024 * 1024

/** The files that differ from the loop's start, committed or not. An estimate for scheduling, not a judgement. */
export async function touched(git: GitContext, place: Place): Promise<string[]> {
  const { head, changes } = await lookAtChanges(git, await requireCheckout(git, place))
  const from = place.root ?? place.baseCommit
  const paths = changes.map(({ path }) => path)
  if (head === '' || head === from) return paths
  const args = ['--bare', 'diff-tree', '-r', '-z', '--name-only', '--no-renames', from, head]
  const { stdout } = await git.run(args, { cwd: git.common, maxBytes })
  const committed = stdout.toString('utf8').split('\0')
  return [...new Set([...paths, ...committed.filter((path) => path !== '')])]
}
