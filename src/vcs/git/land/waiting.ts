/**
 * The branch on which results wait while their base can't be moved, because a checkout of it is in use. It is
 * `umpire/landed` for the base that needs it first, and `umpire/landed-BASE` for every other one at the same time. A
 * ref of our own, written together with the branch, records its base and its commit. So a branch of that name that a
 * person created or added to is left alone. The branch is only a copy for the person to fetch. What lands is always
 * merged from the tasks' branches, never from here, where any process can write.
 */
import { VcsError } from '../../../core/errors.ts'
import type { ExecResult } from '../../../lib/process/exec.ts'
import { sha256 } from '../../../lib/text/sha256.ts'
import { type GitContext, isAncestor, mainRoot, readBranch, refOf } from '../context.ts'
import { requireReadable } from '../own-refs.ts'
import { type Holder, holdersOf, readHolders } from '../worktree/holders.ts'

const shared = 'umpire/landed'
const records = 'refs/umpire/landed-for'
const ownRecords = 'refs/umpire/landed-own'

export interface Waiting {
  branch: string
  /** Our own ref. It is written and deleted together with the branch, and a sandboxed developer can't write it. */
  record: string
  /** Null if nothing waits. Then `branch` is the one to create. */
  at: string | null
  /** Lines for `updateRefs`. */
  put(commit: string): string[]
  drop(): string[]
}

export async function readWaiting(git: GitContext, base: string): Promise<Waiting> {
  const key = sha256(base).slice(0, 20)
  const record = `${records}/${key}`
  const ownRecord = `${ownRecords}/${key}`
  const own = `${shared}-${base}`
  const args = ['for-each-ref', '--format=%(objectname) %(refname)', refOf(shared), refOf(own)]
  args.push(`${records}/`, ownRecord)
  await requireReadable(git)
  const { stdout } = await git.run(args, { cwd: mainRoot(git) })
  const lines = stdout.toString('utf8').split('\n')
  const at = new Map(
    lines.map((line): [string, string] => [line.slice(line.indexOf(' ') + 1), line.split(' ', 1)[0] ?? '']),
  )

  const taken = at.get(refOf(shared))
  const inOwn = at.get(refOf(own))
  if (taken === undefined ? inOwn !== undefined : at.get(record) !== taken) {
    if (inOwn === undefined || at.get(ownRecord) === inOwn) return over(own, inOwn ?? null, ownRecord, [])
    throw new VcsError(
      `Results would wait on the branch ${own}, but it has commits that are not Umpire's.`,
      `Rename it: git branch -m ${own} OTHER-NAME.`,
    )
  }
  // Records without a branch are left over from one that a person deleted.
  const stale = [...at.keys()].filter((ref) => ref.startsWith(`${records}/`) && ref !== record)
  return over(shared, taken ?? null, record, taken === undefined ? stale : [])
}

function over(branch: string, at: string | null, record: string, stale: string[]): Waiting {
  const ref = refOf(branch)
  return {
    branch,
    record,
    at,
    put: (commit) => [
      noFollowing,
      at === null ? `create ${ref} ${commit}` : `update ${ref} ${commit} ${at}`,
      noFollowing,
      `update ${record} ${commit}`,
      ...stale.flatMap((each) => [noFollowing, `delete ${each}`]),
    ],
    drop: () => [
      ...(at === null ? [] : [noFollowing, `delete ${ref} ${at}`]),
      ...(at === null ? [] : [noFollowing, `delete ${record}`]),
    ],
  }
}

/** Deletes the branch once the base contains all of it, unless it is checked out. */
export async function dropWaiting(git: GitContext, base: string): Promise<void> {
  const waiting = await readWaiting(git, base)
  if (waiting.at === null) return
  const now = await readBranch(git, base)
  if (now === null || !(await isAncestor(git, waiting.at, now))) return
  const drop = droppable(waiting, await readHolders(git))
  // If another worker has just moved it, this fails, and a later call deletes it.
  if (drop.length > 0) await updateRefs(git, 'umpire: the base has it', drop)
}

export async function isWaiting(git: GitContext, base: string, sha: string): Promise<boolean> {
  const { at } = await readWaiting(git, base)
  return at !== null && isAncestor(git, sha, at)
}

/**
 * One of the results should no longer land: the copy that contains it is deleted, and the others are combined again.
 */
export async function withdrawWaiting(git: GitContext, base: string): Promise<void> {
  const waiting = await readWaiting(git, base)
  if (waiting.at === null) return
  const drop = droppable(waiting, await readHolders(git))
  if (drop.length > 0) await updateRefs(git, 'umpire: no longer to land', drop)
}

export function droppable(waiting: Waiting, holders: Holder[]): string[] {
  return holdersOf(holders, waiting.branch).length > 0 ? [] : waiting.drop()
}

/**
 * Applies to the next line: if the ref was turned into a link, git writes or deletes the link itself, not its target.
 */
export const noFollowing = 'option no-deref'

/**
 * Updates all refs or none. Exit code 128 if a ref is not where a line says. No hook runs: hooks may be tracked files
 * that an agent wrote, and the repository's own hooks already ran for the merge.
 */
export async function updateRefs(git: GitContext, why: string, lines: string[]): Promise<ExecResult> {
  const stdin = lines.map((line) => `${line}\n`).join('')
  const args = [...noHooks, 'update-ref', '-m', why, '--stdin']
  return git.run(args, { cwd: mainRoot(git), mode: 'write', stdin, ok: [0, 128] })
}

export const noHooks = ['-c', 'core.hooksPath=/dev/null']

/** The commits that this one would bring into a branch, because the branch does not contain them yet. */
export async function broughtBy(
  git: GitContext,
  sha: string,
  branch: string,
  commits: string[],
): Promise<string[]> {
  if (commits.length === 0) return []
  const args = ['--bare', 'rev-list', sha, `^${refOf(branch)}`, '--']
  const { stdout } = await git.run(args, { cwd: git.common })
  const coming = new Set(stdout.toString('utf8').split('\n'))
  return commits.filter((commit) => coming.has(commit))
}
