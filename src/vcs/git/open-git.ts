/** The git adapter: the real git, called as a program. Each operation has its own file next to this one. */
import { readFileSync, realpathSync, statSync } from 'node:fs'
import { delimiter, dirname, join, resolve } from 'node:path'
import { joinCalls } from '../../lib/concurrency.ts'
import type { Vcs } from '../vcs.ts'
import { type GitContext, readBranch, readLink, worktreePath } from './context.ts'
import { changedLines, diffFromBase, diffTrees } from './diff.ts'
import { advance } from './land/advance.ts'
import { removeGroup } from './land/group-branch.ts'
import { integrateParts } from './land/integrate-parts.ts'
import { broughtBy, isWaiting, withdrawWaiting } from './land/waiting.ts'
import { begunMerge, compareMerge } from './merge/conflicts.ts'
import { startFrom } from './merge/start-from.ts'
import { abandonWorktreeMerge, beginWorktreeMerge, finishMerge } from './merge/worktree-merge.ts'
import { mendBranch } from './own-refs.ts'
import { planPlace, readBase } from './plan-place.ts'
import { openClone } from './review/clone.ts'
import { readSurroundings } from './review/surroundings.ts'
import { tampered } from './review/tampered.ts'
import { defaultGitLimits, type GitLimits, guardedRun, openGitRun } from './run.ts'
import { listCheckouts, openScratch, removeCheckout } from './worktree/checkouts.ts'
import { commit } from './worktree/commit.ts'
import { discard, restoreScratch } from './worktree/discard.ts'
import { keepAside } from './worktree/keep-aside.ts'
import { recover } from './worktree/recover.ts'
import { dropWorktree, isMerged, removeWork } from './worktree/remove-work.ts'
import { restoreBranch } from './worktree/restore-branch.ts'
import { commitTree, snapshot } from './worktree/snapshot.ts'
import { readWorkState, touched } from './worktree/work-state.ts'
import { openWorktree } from './worktree/worktree.ts'
import { writablePaths } from './worktree/writable.ts'

export interface GitOptions {
  /** Anywhere in the checkout in which Umpire was started. */
  cwd: string
  /** The `.umpire` folder of the main checkout, as `findRepository` returns it. */
  home: string
  env?: NodeJS.ProcessEnv
  limits?: Partial<GitLimits>
}

export function openGit(options: GitOptions): Vcs {
  return overContext(openContext(options))
}

/** Questions that many loops ask at the same moment, so that one answer serves all of them. */
interface Looks {
  surroundings: Vcs['surroundings']
  checkouts: Vcs['checkouts']
}

function openLooks(git: GitContext): Looks {
  return {
    surroundings: joinCalls(() => readSurroundings(git)),
    checkouts: joinCalls(() => listCheckouts(git)),
  }
}

function overContext(git: GitContext, looks = openLooks(git)): Vcs {
  return {
    ...looks,
    base: () => readBase(git),
    plan: (task) => planPlace(git, task),
    openWorktree: (place, needs, signal) => openWorktree(git, place, needs, signal),
    writable: (place) => writablePaths(git, place),
    hasWorktree: async (place) => (await readLink(git, worktreePath(git, place))).kind === 'linked',
    recover: (place) => recover(git, place),
    touched: (place) => touched(git, place),
    restoreBranch: (place, recorded) => restoreBranch(git, place, recorded),
    snapshot: (place, signal) => snapshot(git, place, signal),
    commitTree: (tree, parent) => commitTree(git, tree, parent),
    commit: (place, request, signal) => commit(git, place, request, signal),
    discard: (place, sha) => discard(git, place, sha),
    keepAside: (place, sha, name) => keepAside(git, place, sha, name),
    diff: (place, to) => diffFromBase(git, place, to),
    changedLines: (fromTree, toTree) => changedLines(git, fromTree, toTree),
    diffTrees: (fromTree, toTree) => diffTrees(git, fromTree, toTree),
    openClone: (name, place, tree) => openClone(git, name, place, tree),
    tampered: (name, place, before, held) => tampered(git, name, place, before, held),
    openScratch: (name, sha, needs, signal) => openScratch(git, name, sha, needs, signal),
    restoreScratch: (name, sha) => restoreScratch(git, name, sha),
    integrateParts: (request, needs, signal) => integrateParts(git, request, needs, signal),
    advance: (into, from, to) => advance(git, into, from, to),
    startFrom: (request, signal) => startFrom(git, request, signal),
    beginMerge: (place, merge, needs, signal) => beginWorktreeMerge(git, place, merge, needs, signal),
    finishMerge: (place, request, signal) => finishMerge(git, place, request, signal),
    begunMerge: (place) => begunMerge(git, place),
    compareMerge: (resolution) => compareMerge(git, resolution),
    abandonMerge: (place, recorded) => abandonWorktreeMerge(git, place, recorded),
    isWaiting: (place, sha) => isWaiting(git, place.base, sha),
    withdrawWaiting: (place) => withdrawWaiting(git, place.base),
    broughtBy: (sha, branch, commits) => broughtBy(git, sha, branch, commits),
    workState: (place, recorded) => readWorkState(git, place, recorded),
    isMerged: (place, sha) => isMerged(git, place, sha),
    removeWork: (place, how) => removeWork(git, place, how),
    removeGroup: (branch, base) => removeGroup(git, branch, base),
    dropWorktree: (place, sha) => dropWorktree(git, place, sha),
    removeCheckout: (name) => removeCheckout(git, name),
    guardedBy: (guard) => overContext({ ...git, guard, run: guardedRun(git.run, guard) }, looks),
    mendBranch: async (place) => {
      await mendBranch(git, place.branch, place.start ?? place.baseCommit)
    },
    branchHead: (branch) => readBranch(git, branch),
  }
}

function openContext({ cwd, home, env = process.env, limits }: GitOptions): GitContext {
  const root = realpathSync(dirname(home))
  const own = join(root, '.umpire')
  const known = { ...defaultGitLimits, ...limits }
  // Our checkouts are inside the person's own. If one loses its `.git`, git must not search further up and work on the
  // person's.
  const ceilings = ['worktrees', 'clones', 'scratch'].map((name) => join(own, name))
  if (env.GIT_CEILING_DIRECTORIES) ceilings.push(env.GIT_CEILING_DIRECTORIES)
  const run = openGitRun({ ...env, GIT_CEILING_DIRECTORIES: ceilings.join(delimiter) }, known)
  const common = commonOf(root)
  const readSettings = joinCalls(async () => {
    const args = ['--bare', 'config', '--local', '--includes', '--list', '-z']
    return (await run(args, { cwd: common })).stdout.toString('utf8')
  })
  const shared = { trees: new Map(), identified: new Set<string>(), readSettings }
  return { cwd, home: own, common, run, limits: known, guard: async () => {}, shared }
}

/** The main checkout's git folder is the one that all worktrees share. */
function commonOf(root: string): string {
  const dotGit = join(root, '.git')
  if (statSync(dotGit).isDirectory()) return realpathSync(dotGit)
  const target = /^gitdir: (.+)$/m.exec(readFileSync(dotGit, 'utf8'))?.[1] ?? ''
  return realpathSync(resolve(root, target.trim()))
}
