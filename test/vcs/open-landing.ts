/** A repository with approved work in it: the starting point of the landing and cleaning tests. */

import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { Place } from '../../src/core/place.ts'
import { openGit } from '../../src/vcs/git/open-git.ts'
import type { Advance } from '../../src/vcs/landings.ts'
import type { Vcs } from '../../src/vcs/vcs.ts'
import type { CheckoutNeeds } from '../../src/vcs/worktrees.ts'
import {
  commitRequest,
  committed,
  type Integration,
  integrateOne,
  type MergeRequest,
  never,
  noNeeds,
} from '../contract/vcs-under-test.ts'
import { type Files, makeRepository, type TestRepository, writeFiles } from '../support/repository.ts'

export interface Work {
  place: Place
  /** The approved commit. */
  head: string
  /** The loop's worktree. */
  path: string
  name: string
}

export type Merged = Integration & { kind: 'merged' }

export interface Landing {
  repository: TestRepository
  vcs: Vcs
  /** Another process's view of the same repository. */
  openAnother(env?: NodeJS.ProcessEnv): Vcs
  /** Commits a task's work on its own branch, based on the branch that is checked out. */
  work(id: number, files: Files, remove?: string[]): Promise<Work>
  integrate(
    work: Work,
    more?: Partial<MergeRequest>,
    needs?: Partial<CheckoutNeeds>,
    by?: Vcs,
  ): Promise<Integration>
  merge(work: Work, needs?: Partial<CheckoutNeeds>): Promise<Merged>
  /** Merges and advances until the base no longer moves, as a loop does. Merges the waiting work along with it. */
  land(work: Work, waiting?: Work[]): Promise<Advance | Integration>
  /** Everything in the person's checkout and git folder that a landing must leave alone. */
  state(): Record<string, string>
  filesIn(revision: string): string[]
  remove(): void
}

export interface LandingOptions {
  files?: Files
  prepare?: (repository: TestRepository) => void
  env?: NodeJS.ProcessEnv
}

export function openLanding({ files, prepare, env }: LandingOptions = {}): Landing {
  const repository = makeRepository(files ?? { 'a.txt': 'a\n', 'b.txt': 'b\n', '.gitignore': 'ignored\n' })
  prepare?.(repository)
  const { root, home, git } = repository
  const openAnother = (other = env) =>
    openGit({ cwd: root, home, limits: { lockMs: 200 }, ...(other && { env: other }) })
  const vcs = openAnother()

  const integrate: Landing['integrate'] = ({ place, head, name }, more, needs, by = vcs) =>
    integrateOne(
      by,
      place,
      { name, head, message: `Merge ${place.branch}`, also: [], hookLimitMs: 60_000, ...more },
      { ...noNeeds, ...needs },
    )
  const merge: Landing['merge'] = async (work, needs) => {
    const merged = await integrate(work, {}, needs)
    if (merged.kind !== 'merged') throw new Error(`not merged: ${JSON.stringify(merged)}`)
    return merged
  }
  return {
    repository,
    vcs,
    openAnother,
    integrate,
    merge,
    async work(id, more, remove = []) {
      const place = await vcs.plan({ id, title: `Task ${id}` })
      const { path } = await vcs.openWorktree(place, noNeeds, never)
      writeFiles(path, more)
      for (const file of remove) git('-C', path, 'rm', '-q', file)
      const request = commitRequest(place.baseCommit, { message: `Task ${id}`, attempt: `${id}/1` })
      const { sha } = committed(await vcs.commit(place, request, never))
      return { place, head: sha, path, name: `${id}-land` }
    },
    async land(work, waiting = []) {
      const also = waiting.map(({ place, head }) => ({
        branch: place.branch,
        commit: head,
        message: `Merge ${place.branch}`,
      }))
      for (;;) {
        const merged = await integrate(work, { also })
        if (merged.kind !== 'merged') return merged
        const advance = await vcs.advance({ branch: work.place.base }, merged.base, merged.commit)
        await vcs.removeCheckout(work.name)
        if (advance.kind !== 'moved') return advance
      }
    },
    state: () => ({
      ...hashes(root, ['.git', '.umpire']),
      ...hashes(join(root, '.git'), ['objects', 'worktrees', 'logs', 'COMMIT_EDITMSG']),
    }),
    filesIn: (revision) => git('ls-tree', '-r', '--name-only', revision).split('\n'),
    remove: () => repository.remove(),
  }
}

/** A hash of every file below a folder, and the target of every link, except the paths in `without`. */
export function hashes(folder: string, without: string[], above = ''): Record<string, string> {
  const found: Record<string, string> = {}
  for (const name of readdirSync(join(folder, above))) {
    const path = join(above, name)
    if (without.includes(path)) continue
    const stat = lstatSync(join(folder, path))
    if (stat.isDirectory()) Object.assign(found, hashes(folder, without, path))
    else if (stat.isSymbolicLink()) found[path] = readlinkSync(join(folder, path))
    else found[path] = `${stat.mode} ${sha(readFileSync(join(folder, path)))}`
  }
  return found
}

const sha = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
