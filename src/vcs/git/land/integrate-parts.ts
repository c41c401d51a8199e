/**
 * Merges approved work, part by part, into the current state of a branch: with git's objects alone if that gives the
 * same result, otherwise in one scratch worktree for all parts. A part costs one merge. Everything else is done once
 * for all.
 *
 * If there are merge hooks, everything is merged twice. The first merge runs without them, to see the result and to
 * prepare the checkout for it. The second runs as a person would, because a hook may need what the preparation
 * installed.
 */
import { SetupError, VcsError } from '../../../core/errors.ts'
import { endTree } from '../../../lib/process/process-tree.ts'
import type { IntegratedParts, IntegrationRequest, PartOutcome } from '../../merges.ts'
import type { CheckoutNeeds } from '../../worktrees.ts'
import { type GitContext, isAncestor, mainRoot, readCommits } from '../context.ts'
import { findOpponents } from '../merge/conflicts.ts'
import { type Manner, merge } from '../merge/merge.ts'
import { hasMergeHooks, mergeInStore } from '../merge/merge-in-store.ts'
import { umpireIdentity } from '../message.ts'
import { allWords, gitMark, markOf } from '../run.ts'
import { verify } from '../verify-objects.ts'
import {
  addScratch,
  checkoutPath,
  openScratch,
  readScratchHead,
  removeCheckout,
} from '../worktree/checkouts.ts'
import { fallbackIdentity } from '../worktree/commit.ts'
import { restoreScratch } from '../worktree/discard.ts'
import { prepareCheckout } from '../worktree/prepare-checkout.ts'
import { readInto } from './group-branch.ts'
import { dropWaiting } from './waiting.ts'

/** At SIGTERM git removes its locks and exits at once. A hook may need a moment. */
const graceMs = 2_000

export async function integrateParts(
  git: GitContext,
  request: IntegrationRequest,
  needs: CheckoutNeeds,
  signal: AbortSignal,
): Promise<IntegratedParts> {
  const { into, name } = request
  const base = await readInto(git, into)
  const { told, left } = await sortOut(git, base, request.parts)
  if (left.length === 0) {
    if (into.from === undefined) await dropWaiting(git, into.branch)
    return conclude(git, request, { base, told, head: base, path: null, unprepared: null })
  }
  // A git process that outlived its worker would continue in the new checkout, which has the same name as the old one.
  await git.guard()
  await endTree({ name: gitMark, value: markOf(checkoutPath(git, 'scratch', name)) }, graceMs)
  let kept = false
  try {
    const merged =
      (await mergeAside(git, base, left, request, needs, signal)) ??
      (await mergeInScratch(git, base, left, request, needs, signal))
    for (const outcome of merged.told) told.set(outcome.key, outcome)
    const done = await conclude(git, request, { ...merged, base, told })
    kept = done.path !== null
    return done
  } finally {
    if (!kept) await removeCheckout(git, name)
  }
}

type Asked = IntegrationRequest['parts'][number]

/** The trees are looked up at the end, all at once. */
type Told =
  | { key: string; kind: 'merged' | 'contained'; commit: string }
  | (PartOutcome & { kind: 'conflict' | 'refused' | 'damaged' })

/** Sorts out parts that need no merge: the base contains them, or they can't be trusted. */
async function sortOut(
  git: GitContext,
  base: string,
  parts: Asked[],
): Promise<{ told: Map<string, Told>; left: Asked[] }> {
  const told = new Map<string, Told>()
  if (parts.length === 0) return { told, left: [] }
  const commits = parts.map(({ commit }) => commit)
  const all = await verify(git, base, commits)
  const left: Asked[] = []
  for (const part of parts) {
    const { key, commit } = part
    // Checking each part is expensive, so do it only if something is wrong.
    const found = all.kind === 'whole' ? all : await verify(git, base, [commit])
    if (found.kind === 'damaged') told.set(key, { key, ...found })
    else if (found.names.has(commit)) left.push(part)
    else told.set(key, { key, kind: 'contained', commit: base })
  }
  return { told, left }
}

interface InScratch {
  told: Told[]
  head: string
  path: string | null
  unprepared: SetupError | null
}

/** Checks out only the result, if a checkout is wanted. Null if each part has to be merged in a checkout. */
async function mergeAside(
  git: GitContext,
  base: string,
  parts: Asked[],
  { name, inCheckout }: IntegrationRequest,
  needs: CheckoutNeeds,
  signal: AbortSignal,
): Promise<InScratch | null> {
  const stored = await mergeInStore(git, name, base, parts, signal)
  if (stored === null) return null
  const { told, head } = stored
  if (!inCheckout || head === base) return { told, head, path: null, unprepared: null }
  const added = await addScratch(git, name, head, signal).catch((error: unknown) => {
    // Perhaps a single part can't be checked out. Merging in a checkout shows which.
    if (error instanceof VcsError) return null
    throw error
  })
  if (added === null) return null
  const { path, gitDir } = added
  const checkout = { path, gitDir, source: mainRoot(git) }
  const unprepared = await reasonNotTo(() => prepareCheckout(checkout, needs, signal))
  if (!unprepared) await restoreScratch(git, name, head)
  return { told, head, path, unprepared }
}

async function mergeInScratch(
  git: GitContext,
  base: string,
  parts: Asked[],
  { name, into, hookLimitMs }: IntegrationRequest,
  needs: CheckoutNeeds,
  signal: AbortSignal,
): Promise<InScratch> {
  const { path, gitDir } = await addScratch(git, name, base, signal)
  const [hooked, identity] = await Promise.all([hasMergeHooks(git, path), fallbackIdentity(git, path)])
  const scratch: Scratch = { name, path, gitDir, base, branch: into.branch, hooked }
  const own: Manner = { mode: 'hooks', env: identity, limitMs: hookLimitMs }
  const rehearsal: Manner = { mode: 'write', env: umpireIdentity, limitMs: git.limits.checkoutMs }
  let merged = await mergeAll(git, scratch, parts, hooked ? rehearsal : own, signal)
  if (merged.head === base) return { ...merged, path: null, unprepared: null }
  const checkout = { path, gitDir, source: mainRoot(git) }
  const unprepared = await reasonNotTo(() => prepareCheckout(checkout, needs, signal))
  // Skip the hooks: none of this can land, and the part to blame is known without them.
  if (unprepared) return { ...merged, path, unprepared }

  const made = merged.told.some((each, at) => each.kind === 'merged' && each.commit !== parts[at]?.commit)
  if (hooked && made) {
    const { head: rehearsed } = merged
    await restoreScratch(git, name, base)
    merged = await mergeAll(git, scratch, parts, own, signal)
    if (merged.head === base) return { ...merged, path: null, unprepared }
    if (merged.told.some(({ kind }) => kind === 'refused') && merged.head !== rehearsed) {
      // A hook refused a part, so the checkout was prepared for a different result.
      const { head } = merged
      const anew = await reasonNotTo(() => openScratch(git, name, head, needs, signal))
      return { ...merged, path, unprepared: anew }
    }
  }
  const landed = merged.told.flatMap((each, at) => (each.kind === 'merged' ? (parts[at]?.commit ?? []) : []))
  await requireAll(git, merged.head, [base, ...landed])
  await restoreScratch(git, name, merged.head)
  return { ...merged, path, unprepared }
}

/** Null if it succeeded. */
async function reasonNotTo(work: () => Promise<unknown>): Promise<SetupError | null> {
  try {
    await work()
    return null
  } catch (error) {
    if (error instanceof SetupError) return error
    throw error
  }
}

interface Scratch {
  name: string
  path: string
  gitDir: string
  base: string
  /** The branch that everything is merged into. */
  branch: string
  /** Whether merge hooks run. */
  hooked: boolean
}

async function mergeAll(
  git: GitContext,
  scratch: Scratch,
  parts: Asked[],
  manner: Manner,
  signal: AbortSignal,
): Promise<{ told: Told[]; head: string }> {
  const { path, gitDir, base, branch, name, hooked } = scratch
  const told: Told[] = []
  const steps: { key: string; from: string; to: string }[] = []
  let head = base
  for (const part of parts) {
    const { key, commit } = part
    try {
      const merged = await merge(git, path, part, manner, signal)
      if (merged.kind === 'merged') {
        const to = await readScratchHead(git, { path, gitDir })
        // A hook can do anything to the checkout it runs in, so check that this part is really contained.
        if (to === head || (hooked && to !== commit)) await requireAll(git, to, [head, commit])
        told.push({ key, kind: to === head ? 'contained' : 'merged', commit: to })
        if (to !== head) steps.push({ key, from: head, to })
        head = to
        continue
      }
      if (merged.kind === 'conflict') {
        const { files } = merged
        const opponents = await findOpponents(git, { base, branch, steps, commit, files })
        told.push({ key, kind: 'conflict', files, with: opponents })
      } else {
        const { code: exitCode, timedOut } = merged.result
        told.push({ key, kind: 'refused', output: allWords(merged.result), exitCode, timedOut })
      }
    } catch (error) {
      // The other parts are not affected.
      if (!(error instanceof VcsError)) throw error
      told.push({ key, kind: 'damaged', why: error.message, fix: error.fix })
    }
    await restoreScratch(git, name, head)
  }
  return { told: await withLateFinds(git, told, parts, head), head }
}

/** A part that conflicted may still be contained in a later part that has its resolution. */
async function withLateFinds(git: GitContext, told: Told[], parts: Asked[], head: string): Promise<Told[]> {
  const found: Told[] = []
  for (const [at, each] of told.entries()) {
    const commit = parts[at]?.commit
    const isIn = each.kind === 'conflict' && commit !== undefined && (await isAncestor(git, commit, head))
    found.push(isIn ? { key: each.key, kind: 'contained', commit: head } : each)
  }
  return found
}

/** After a hook ran, the result lands only if nothing is missing from it. */
async function requireAll(git: GitContext, commit: string, wanted: string[]): Promise<void> {
  const args = ['--bare', 'rev-list', '--max-count=1', ...wanted, `^${commit}`]
  const { stdout } = await git.run(args, { cwd: git.common })
  if (stdout.toString('utf8').trim() !== '')
    throw new VcsError('After the merge, a hook moved HEAD to a commit that does not contain both sides.')
}

async function conclude(
  git: GitContext,
  { parts }: IntegrationRequest,
  { base, told, head, path, unprepared }: Omit<InScratch, 'told'> & { base: string; told: Map<string, Told> },
): Promise<IntegratedParts> {
  const outcomes = parts.flatMap(({ key }) => told.get(key) ?? [])
  const commits = new Set([head])
  for (const outcome of outcomes) if ('commit' in outcome) commits.add(outcome.commit)
  const trees = new Map<string, string>()
  for (const found of await readCommits(git, git.common, [...commits]))
    if (found) trees.set(found.sha, found.tree)
  const treeOf = (commit: string) => trees.get(commit) ?? ''
  return {
    base,
    commit: head,
    tree: treeOf(head),
    path,
    unprepared,
    parts: outcomes.map(
      (outcome): PartOutcome =>
        'commit' in outcome ? { ...outcome, tree: treeOf(outcome.commit) } : outcome,
    ),
  }
}
