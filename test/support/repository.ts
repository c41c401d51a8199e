/**
 * Throw-away git repositories for tests: real git, in a folder of their own under the system's temporary folder. The
 * settings of the person who runs the tests are kept out by `setup.ts`.
 */
import { execFileSync } from 'node:child_process'
import {
  accessSync,
  appendFileSync,
  chmodSync,
  constants,
  cpSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll } from 'vitest'

export interface TestRepository {
  /** A folder around the repository that goes away with it; room for what a test needs beside. */
  folder: string
  /** The person's checkout, on branch `main`. */
  root: string
  /** The `.umpire` folder in it. */
  home: string
  /** Runs git in the checkout and gives back what it printed. */
  git(...args: string[]): string
  /** Writes files into the checkout. */
  write(files: Files): void
  /** Writes files into the checkout, commits everything that changed, and gives back the commit. */
  commit(message: string, files?: Files): string
  /** Installs a hook of the repository: the lines of a shell script. */
  hook(name: string, ...script: string[]): void
  remove(): void
}

/** Contents by path. */
export type Files = Record<string, string>

/** A repository with one commit of these files. */
export function makeRepository(
  files: Files = { 'README.md': '# Example\n' },
  where: string = inMemory(),
): TestRepository {
  const folder = makeFolder(where)
  const root = join(folder, 'checkout')
  const git = (...args: string[]) => gitIn(root, ...args)
  const repository: TestRepository = {
    folder,
    root,
    home: join(root, '.umpire'),
    git,
    write: (more) => writeFiles(root, more),
    commit(message, more = {}) {
      commitIn(root, message, more)
      return git('rev-parse', 'HEAD')
    },
    hook: (name, ...script) => writeScript(join(root, '.git/hooks', name), ...script),
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  }
  cpSync(templateWith(files), root, { recursive: true })
  // The index says of each file when it was changed, which is not so of the copies.
  git('update-index', '-q', '--refresh')
  return repository
}

/** Prepared repositories by their files. To copy one is cheaper than to have git make it anew. */
const templates = new Map<string, string>()

function templateWith(files: Files): string {
  const key = JSON.stringify(files)
  const root = templates.get(key) ?? prepare(files)
  templates.set(key, root)
  return root
}

function prepare(files: Files): string {
  const root = join(makeFolder(), 'template')
  mkdirSync(root)
  gitIn(root, 'init', '-q', '--template=', '-b', 'main')
  const person = '[user]\n\tname = Test Person\n\temail = person@example.com\n'
  appendFileSync(join(root, '.git/config'), person)
  commitIn(root, 'First commit', files)
  return root
}

afterAll(() => {
  for (const root of templates.values()) rmSync(dirname(root), { recursive: true, force: true })
  templates.clear()
})

function commitIn(root: string, message: string, files: Files): void {
  writeFiles(root, files)
  // Umpire's own folder belongs to nobody's commit, also in a test that did not exclude it.
  // As patterns: git refuses to leave out by its plain name what is ignored.
  gitIn(root, 'add', '-A', '--', '.', ':(exclude,glob)\\.umpire', ':(exclude,glob)\\.umpire/**')
  gitIn(root, 'commit', '-q', '--allow-empty', '-m', message)
}

function makeFolder(where = inMemory()): string {
  return realpathSync(mkdtempSync(join(where, 'umpire-repository-')))
}

/** Runs git in any folder. Throws with git's words when it fails. */
export function gitIn(cwd: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trimEnd()
}

export function writeFiles(folder: string, files: Files): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}

/** An executable shell script. */
export function writeScript(path: string, ...lines: string[]): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `#!/bin/sh\n${lines.join('\n')}\n`)
  chmodSync(path, 0o755)
}

/**
 * A folder in memory where the system has one: git waits for the disk after most of what it writes. Not for what runs in a
 * sandbox, which has a `/dev` of its own.
 */
export function inMemory(): string {
  try {
    accessSync(memory, constants.W_OK)
    const { bavail, bsize } = statfsSync(memory)
    return bavail * bsize > leastRoom ? memory : tmpdir()
  } catch {
    return tmpdir()
  }
}

const memory = '/dev/shm'
const leastRoom = 2 * 1024 ** 3
