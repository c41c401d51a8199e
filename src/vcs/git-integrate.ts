/**
 * Merges approved work with what the base is now, in a scratch worktree. It is merged twice where a merge commit is
 * needed: first without hooks, to see what it comes to and to prepare the checkout for that; then as a person would,
 * with hooks, identity and signing, because a hook may need what the preparation installed.
 */
import { VcsError } from '../core/errors.ts'
import type { Place } from '../core/event.ts'
import type { ExecResult } from '../lib/exec.ts'
import { endTree } from '../lib/process-tree.ts'
import { addScratch, checkoutPath, removeCheckout } from './git-checkouts.ts'
import { fallbackIdentity } from './git-commit.ts'
import { type GitContext, isAncestor, mainRoot, readCommit, requireBase } from './git-context.ts'
import { restoreScratch } from './git-discard.ts'
import { umpireIdentity } from './git-message.ts'
import { prepareCheckout } from './git-provide.ts'
import { allWords, failed, gitMark, markOf } from './git-run.ts'
import { findDamaged, requireWhole } from './git-verify.ts'
import { dropWaiting, noHooks } from './git-waiting.ts'
import type { CheckoutNeeds, Integration, MergeRequest } from './vcs.ts'

/** At SIGTERM git takes its locks away and ends at once; a hook may want a moment. */
const graceMs = 2_000

export async function integrate(
  git: GitContext,
  place: Place,
  request: MergeRequest,
  needs: CheckoutNeeds,
  signal: AbortSignal,
): Promise<Integration> {
  const base = await requireBase(git, place)
  if (await isAncestor(git, request.head, base)) {
    await dropWaiting(git, place.base)
    return { kind: 'contained', base }
  }
  const wanted: Part = { commit: request.head, branch: place.branch, message: cleaned(request.message) }
  await requireWhole(git, base, wanted.commit)
  const also: Part[] = []
  for (const part of request.also) {
    // What is damaged is told when it is its own turn.
    if ((await findDamaged(git, base, part.commit)) === null)
      also.push({ ...part, message: cleaned(part.message) })
  }
  // A git that outlived its worker would go on in the new checkout, because that has the name of the old one.
  await git.guard()
  await endTree({ name: gitMark, value: markOf(checkoutPath(git, 'scratch', request.name)) }, graceMs)
  let done: Integration | null = null
  try {
    done = await mergeInScratch(git, { base, also, wanted, request }, needs, signal)
    return done
  } finally {
    if (done?.kind !== 'merged') await removeCheckout(git, request.name)
  }
}

interface Part {
  commit: string
  branch: string
  message: string
}

interface Plan {
  base: string
  wanted: Part
  /** Merged with it, as far as it goes together. */
  also: Part[]
  request: MergeRequest
}

async function mergeInScratch(
  git: GitContext,
  { base, wanted, also, request: { name, hookLimitMs } }: Plan,
  needs: CheckoutNeeds,
  signal: AbortSignal,
): Promise<Integration> {
  const { path, gitDir } = await addScratch(git, name, base, signal)
  const rehearsal: Manner = { mode: 'write', env: umpireIdentity, limitMs: git.limits.checkoutMs }
  const first = await merge(git, path, wanted, rehearsal, signal)
  if (first.kind === 'conflict') return { kind: 'conflict', base, files: first.files }
  const parts = [wanted]
  for (const part of also) {
    const merged = await merge(git, path, part, rehearsal, signal)
    if (merged.kind === 'merged') parts.push(part)
    else await git.run(['merge', '--abort'], { cwd: path, mode: 'write' })
  }
  await prepareCheckout({ path, gitDir, source: mainRoot(git) }, needs, signal)

  const rehearsed = await readCommit(git, path, 'HEAD')
  if (![base, ...parts.map(({ commit }) => commit)].includes(rehearsed.sha)) {
    await restoreScratch(git, name, base)
    const env = await fallbackIdentity(git, path)
    for (const part of parts) {
      const merged = await merge(git, path, part, { mode: 'hooks', env, limitMs: hookLimitMs }, signal)
      if (merged.kind === 'merged') continue
      if (merged.kind === 'conflict') throw new VcsError(`A hook kept ${part.branch} from being merged.`)
      const { code: exitCode, timedOut } = merged.result
      return { kind: 'refused', base, output: allWords(merged.result), exitCode, timedOut }
    }
  }
  const { sha: commit, tree } = await readCommit(git, path, 'HEAD')
  await requireAll(git, commit, [base, ...parts.map((part) => part.commit)])
  await restoreScratch(git, name, commit)
  return { kind: 'merged', base, commit, tree, path }
}

type Manner = { mode: 'write' | 'hooks'; env: Record<string, string>; limitMs: number }

type Merged =
  | { kind: 'merged' }
  | { kind: 'conflict'; files: string[] }
  | { kind: 'refused'; result: ExecResult }

/**
 * Settings of the person that would ask them something, add to the message, take a result from memory or refuse what
 * was approved by its hash are overruled; merge drivers, renames and strategies are the repository's own.
 */
const asked = [
  '--ff',
  '--commit',
  '--no-squash',
  '--no-edit',
  '--no-log',
  '--no-stat',
  '-q',
  '--no-autostash',
]
asked.push('--no-verify-signatures', '--cleanup=whitespace')

async function merge(
  git: GitContext,
  cwd: string,
  { commit, message }: Part,
  { mode, env, limitMs }: Manner,
  signal: AbortSignal,
): Promise<Merged> {
  const settings = ['-c', 'rerere.enabled=false', ...(mode === 'hooks' ? [] : [...noHooks, ...unsigned])]
  const args = [...settings, 'merge', ...asked, '-m', `${message}\n`, commit]
  const result = await git.run(args, { cwd, mode, env, limitMs, ok: [0, 1, 2, 128] }, signal)
  if (result.code === 0) return { kind: 'merged' }
  const files = await listUnmerged(git, cwd)
  if (files.length > 0) return { kind: 'conflict', files }
  // A post-merge hook that hangs can't undo the merge before it.
  if (result.timedOut && (await isAncestor(git, commit, (await readCommit(git, cwd, 'HEAD')).sha)))
    return { kind: 'merged' }
  const byHook = result.timedOut || result.code === 1 || /ref updates aborted by hook/.test(result.stderr)
  if (mode === 'hooks' && byHook) return { kind: 'refused', result }
  throw failed(args, result, limitMs)
}

const unsigned = ['-c', 'commit.gpgSign=false']

async function listUnmerged(git: GitContext, cwd: string): Promise<string[]> {
  const { stdout } = await git.run(['ls-files', '--unmerged', '-z'], { cwd })
  const paths = stdout
    .toString('utf8')
    .split('\0')
    .filter((entry) => entry !== '')
    .map((entry) => entry.slice(entry.indexOf('\t') + 1))
  return [...new Set(paths)]
}

/** A hook can do anything to the branch it runs on; what comes of that is landed only if nothing is missing in it. */
async function requireAll(git: GitContext, commit: string, wanted: string[]): Promise<void> {
  const args = ['rev-list', '--max-count=1', ...wanted, `^${commit}`]
  const { stdout } = await git.run(args, { cwd: mainRoot(git) })
  if (stdout.toString('utf8').trim() !== '')
    throw new VcsError('After the merge a hook moved HEAD to where not both sides are in it.')
}

/** Whatever the title holds, nothing but lines of text gets into the message, and never none. */
function cleaned(message: string): string {
  const lines = message.split('\n').map((line) => line.replace(/\p{Cc}+/gu, ' ').trimEnd())
  return lines.join('\n').trim() || 'Merge approved work'
}
