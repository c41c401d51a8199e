/** A repository in which Umpire works, and the parts of it that commands need. */
import { existsSync, statSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Attempts } from '../attempts/attempt.ts'
import { packageFile } from '../lib/file/package-files.ts'
import { withAbsolutePath } from '../lib/process/exec.ts'
import type { WorkSource } from '../queue/work-source.ts'
import { openStore } from '../store/sqlite/open-store.ts'
import type { Store } from '../store/store.ts'
import { excludeHome, findRepository } from '../vcs/git/repository.ts'
import type { Vcs } from '../vcs/vcs.ts'

export interface Repository {
  /** The checkout in which Umpire was started. */
  root: string
  /** The git folder that all worktrees share. */
  common: string
  /** The `.umpire` folder, which all worktrees of the repository share. */
  home: string
  /** The environment with which Umpire was started. Its own git commands get it. */
  ownEnv: NodeJS.ProcessEnv
  /** The environment of every process that Umpire starts for a task. */
  env: Record<string, string>
}

export async function openRepository(
  cwd: string,
  ownEnv: NodeJS.ProcessEnv,
  agentsEnv: NodeJS.ProcessEnv = ownEnv,
): Promise<Repository> {
  // Inside an agent's clone, git would find the clone. The session knows its repository.
  const home = ownEnv.UMPIRE_SESSION ? ownEnv.UMPIRE_HOME : undefined
  const found = await findRepository(home ? dirname(home) : cwd, ownEnv)
  return { ...found, ownEnv, env: childEnvironment(agentsEnv, found.home) }
}

const lookEveryMs = 300

export function databasePath({ home }: Pick<Repository, 'home'>): string {
  return join(home, 'umpire.db')
}

/** Opens the store, or returns null if there is none. Reading must not create files. */
export function openExistingStore(repository: Pick<Repository, 'home'>): Promise<Store> | null {
  const path = databasePath(repository)
  return existsSync(path) ? openStore({ path, access: 'read' }) : null
}

/** Waits until the store exists, then opens it. */
export async function openStoreWhenThere(repository: Repository): Promise<Store> {
  for (;;) {
    const store = openExistingStore(repository)
    if (store) return store
    await sleep(lookEveryMs)
  }
}

/** Opens the store for writing. Creates `.umpire` if needed, and keeps it out of the person's `git status`. */
export async function openOrCreateStore(repository: Repository): Promise<Store> {
  if (!existsSync(databasePath(repository))) {
    // Not `recursive`: on a read-only file system, that reports a missing folder instead of the real error.
    await mkdir(repository.home).catch((error: unknown) => {
      if (!statSync(repository.home, { throwIfNoEntry: false })?.isDirectory()) throw error
    })
    await excludeHome(repository.common)
  }
  return openStore({ path: databasePath(repository) })
}

export async function openVcs({ root, home, ownEnv }: Repository): Promise<Vcs> {
  const { openGit } = await import('../vcs/git/open-git.ts')
  // A git hook may run code that an agent wrote. This marks the processes of hooks.
  return openGit({ cwd: root, home, env: withAbsolutePath({ ...ownEnv, UMPIRE_HOME: home }) })
}

export async function openQueue(
  repository: Repository,
  access: 'read' | 'write' = 'write',
): Promise<WorkSource> {
  const { openLocalQueue } = await import('../queue/local-queue.ts')
  return openLocalQueue({ path: databasePath(repository), access })
}

export async function openAttempts({ home }: Repository): Promise<Attempts> {
  const { openLocalAttempts } = await import('../attempts/local-attempts.ts')
  return openLocalAttempts({ root: join(home, 'attempts'), keeper: packageFile('keeper.sh') })
}

/** Variables that tell git which repository to use. If a hook starts Umpire, they name the wrong one. */
const gitPlace = /^GIT_(DIR|WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|PREFIX|COMMON_DIR)$/

/** The environment that every process of Umpire inherits: the person's own, with `umpire` first on the PATH. */
function childEnvironment(processEnv: NodeJS.ProcessEnv, home: string): Record<string, string> {
  const inherited = Object.entries(processEnv).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !gitPlace.test(entry[0]),
  )
  const env = withAbsolutePath(Object.fromEntries(inherited))
  const bin = packageFile('bin')
  // If an agent deletes the .git of its checkout, git must not find the person's repository above it.
  const checkouts = ['worktrees', 'clones', 'scratch'].map((name) => join(home, name))
  return {
    ...env,
    PATH: env.PATH ? `${bin}${delimiter}${env.PATH}` : bin,
    UMPIRE_NODE: process.execPath,
    UMPIRE_HOME: home,
    GIT_CEILING_DIRECTORIES: [...checkouts, env.GIT_CEILING_DIRECTORIES ?? '']
      .filter(Boolean)
      .join(delimiter),
  }
}
