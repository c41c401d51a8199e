/**
 * A repository with the worktree of one loop open in it: the starting point of nearly every test of the git adapter.
 */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CommitRecord, Place } from '../../src/core/place.ts'
import { openGit } from '../../src/vcs/git/open-git.ts'
import type { GitLimits } from '../../src/vcs/git/run.ts'
import type { Vcs } from '../../src/vcs/vcs.ts'
import type { CheckoutNeeds, CommitOutcome, CommitRequest } from '../../src/vcs/worktrees.ts'
import { commitRequest, committed, never, noNeeds } from '../contract/vcs-under-test.ts'
import { type Files, gitIn, makeRepository, type TestRepository, writeFiles } from '../support/repository.ts'

export interface OpenLoop {
  repository: TestRepository
  vcs: Vcs
  place: Place
  /** The loop's worktree and its git folder. */
  path: string
  gitDir: string
  git(...args: string[]): string
  write(files: Files): void
  read(path: string): string
  tryCommit(more?: Partial<CommitRequest>): Promise<CommitOutcome>
  commit(more?: Partial<CommitRequest>): Promise<CommitRecord>
  /** The files in a tree or commit. */
  filesIn(revision: string): string[]
  remove(): void
}

export interface LoopOptions {
  files?: Files
  /** Changes the repository before the loop begins. */
  prepare?: (repository: TestRepository) => void
  needs?: Partial<CheckoutNeeds>
  env?: NodeJS.ProcessEnv
  limits?: Partial<GitLimits>
}

export async function openLoop({ files, prepare, needs, env, limits }: LoopOptions = {}): Promise<OpenLoop> {
  const repository = makeRepository(files ?? { 'a.txt': 'a\n', 'b.txt': 'b\n' })
  prepare?.(repository)
  const { root, home } = repository
  const vcs = openGit({ cwd: root, home, ...(env && { env }), ...(limits && { limits }) })
  const place = await vcs.plan({ id: 1, title: 'Add it' })
  const { path } = await vcs.openWorktree(place, { ...noNeeds, ...needs }, never)
  const git = (...args: string[]) => gitIn(path, ...args)
  const tryCommit = (more: Partial<CommitRequest> = {}) =>
    vcs.commit(place, commitRequest(place.baseCommit, more), never)
  return {
    repository,
    vcs,
    place,
    path,
    gitDir: git('rev-parse', '--absolute-git-dir'),
    git,
    write: (more) => writeFiles(path, more),
    read: (file) => readFileSync(join(path, file), 'utf8'),
    tryCommit,
    commit: async (more) => committed(await tryCommit(more)),
    filesIn: (revision) => git('ls-tree', '-r', '--name-only', revision).split('\n'),
    remove: () => repository.remove(),
  }
}
