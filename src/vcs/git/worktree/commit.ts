/**
 * Commits what a developer session left. The repository's hooks, identity and signing are honoured as if a person had
 * typed `git commit`. Afterwards the worktree contains exactly the committed tree, so that a gate judges that and
 * nothing else.
 */
import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { VcsError } from '../../../core/errors.ts'
import { listed } from '../../../core/listed.ts'
import type { CommitRecord, Place } from '../../../core/place.ts'
import type { CommitOutcome, CommitRequest } from '../../worktrees.ts'
import { type GitContext, readCommit, readCommits, refOf } from '../context.ts'
import { mergeBase } from '../diff.ts'
import { isMarked, renderMessage, subjectOf, umpireIdentity } from '../message.ts'
import { mendBranch } from '../own-refs.ts'
import { allWords, gitFailure } from '../run.ts'
import { discard } from './discard.ts'
import { type Checkout, isClean, type Look, lookAtChanges, lookThrough, requireCheckout } from './look.ts'
import { findUnfinished } from './restore-branch.ts'
import { stageAll } from './stage.ts'
import { remakeWorktree } from './worktree.ts'

/** A hook that reformats files makes a second round necessary. A hook that never settles gets no fourth one. */
const maxRounds = 3

export async function commit(
  git: GitContext,
  place: Place,
  request: CommitRequest,
  signal: AbortSignal,
): Promise<CommitOutcome> {
  // All the files are still there. Commits behind a link that replaced the branch are not ours.
  await mendBranch(git, place.branch, request.recorded)
  await remakeWorktree(git, place, signal)
  const checkout = await requireCheckout(git, place)
  const { path } = checkout
  let seen = await lookThrough(git, checkout)
  if (seen.branch !== place.branch) {
    throw new VcsError(
      `The worktree ${path} is not on its branch ${place.branch}.`,
      `Run: git -C ${path} switch ${place.branch}`,
    )
  }
  await requireResolved(checkout, seen)
  let head: Head | null = null
  // A merge that was resolved entirely to our side changes no file, but it still has to be committed.
  let merging = (await findUnfinished(checkout.gitDir)) === 'merge'
  for (let round = 1; (!isClean(seen) || merging) && round <= maxRounds; round++) {
    const [identity] = await Promise.all([fallbackIdentity(git, path), stageAll(git, checkout, seen)])
    const refused = await commitIndex(git, { ...checkout, identity, merging }, request, seen, signal)
    ;[seen, head] = await Promise.all([lookAtChanges(git, checkout), readHead(git, place, path)])
    if (refused === null) {
      merging = false
      continue
    }
    // Everything was staged, so unstaged changes come from the hook: it fixed the files and wants them staged again.
    const mended = seen.changes.some(({ kind }) => kind !== 'staged')
    if (refused.timedOut || !mended || round === maxRounds) return refused
  }
  head ??= await readHead(git, place, path)
  if (!isClean(seen)) await discard(git, place, head.sha)
  const { session, iteration, recorded: from } = request
  return { kind: 'committed', commit: { ...head, from, session, iteration } }
}

/** A user who merges by hand may not be done yet. Text between conflict marks is not finished work. */
async function requireResolved({ path, gitDir }: Checkout, { changes }: Look): Promise<void> {
  const unmerged = changes.filter(({ kind }) => kind === 'unmerged').map(({ path: file }) => file)
  // If a developer's session left an operation half done, that was already cleaned up.
  const unfinished = unmerged.length > 0 && (await findUnfinished(gitDir))
  if (!unfinished) return
  throw new VcsError(
    `A ${unfinished} is in progress in ${path}, with conflicts in ${listed(unmerged, 1)}.`,
    'Resolve them there and commit (or git add) the result, then try again.',
  )
}

type Head = Pick<CommitRecord, 'sha' | 'tree' | 'empty' | 'message'>

async function readHead(git: GitContext, place: Place, path: string): Promise<Head> {
  const [head, base, began] = await readCommits(git, path, ['HEAD', refOf(place.base), place.baseCommit])
  if (!head) throw new VcsError(`The branch ${place.branch} has no commit.`)
  // If the base has not moved, the branch left it where the loop started, so the trees can be compared.
  const plain = place.root === undefined && place.target === undefined
  const unmoved = plain && began && (!base || base.sha === began.sha)
  const empty = unmoved ? head.tree === began.tree : await changesNothing(git, place)
  return { sha: head.sha, tree: head.tree, empty, message: subjectOf(head.message) }
}

type Refused = CommitOutcome & { kind: 'refused' }

async function commitIndex(
  git: GitContext,
  { path, gitDir, identity: env, merging }: Checkout & { identity: Record<string, string>; merging: boolean },
  request: CommitRequest,
  seen: Look,
  signal: AbortSignal,
): Promise<Refused | null> {
  const { attempt, message, recorded, hookLimitMs } = request
  const earlier = seen.head === recorded ? null : await readCommit(git, path, 'HEAD')
  const args = ['commit', '-q', '-F', '-', '--cleanup=whitespace']
  // The commit was made before a crash or in an earlier round. The remaining changes belong in it, not in a second
  // commit.
  if (!merging && earlier !== null && isMarked(earlier.message, attempt))
    args.push('--amend', '--allow-empty')
  const stdin = renderMessage(message, attempt)
  const result = await git.run(args, { cwd: path, mode: 'hooks', stdin, env, limitMs: hookLimitMs }, signal)
  if (result.code === 0) return null

  const { code: exitCode, timedOut } = result
  const refused: Refused = { kind: 'refused', output: allWords(result), exitCode, timedOut }
  if (result.timedOut) {
    // The lock was ours, and its owner is dead.
    await rm(join(gitDir, 'index.lock'), { force: true })
    const now = await readCommit(git, path, 'HEAD')
    return now.sha === seen.head ? refused : null
  }
  if (/ref updates aborted by hook/.test(result.stderr)) return refused
  if (result.code !== 1) throw gitFailure(args, result, hookLimitMs)
  if (merging) return refused
  // Git gives the same exit code if there was nothing to commit, for example because only line endings differed.
  const staged = await git.run(['diff-index', '--cached', '--quiet', 'HEAD'], { cwd: path, ok: [0, 1] })
  return staged.code === 0 ? null : refused
}

/** Empty if git has an identity, as it nearly always does. */
export async function fallbackIdentity(git: GitContext, cwd: string): Promise<Record<string, string>> {
  const folder = dirname(cwd)
  if (git.shared.identified.has(folder)) return {}
  const { code } = await git.run(['var', 'GIT_COMMITTER_IDENT'], { cwd, ok: [0, 128] })
  if (code === 0) {
    git.shared.identified.add(folder)
    return {}
  }
  return umpireIdentity
}

/** Whether the whole branch changes nothing compared with the current base branch, or with what it was built on. */
async function changesNothing(git: GitContext, place: Place): Promise<boolean> {
  const call = { cwd: git.common }
  const args = ['--bare', 'diff-tree', '--quiet']
  const branch = refOf(place.branch)
  let against = place.baseCommit
  if (place.root === undefined && place.target === undefined) {
    const asked = await git.run([...args, '--merge-base', refOf(place.base), branch], {
      ...call,
      ok: [0, 1, 128],
    })
    if (asked.code !== 128) return asked.code === 0
  } else {
    against = await mergeBase(git, place)
  }
  const { code } = await git.run([...args, against, branch], { ...call, ok: [0, 1] })
  return code === 0
}
