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
  /** A folder around the repository that is removed with it, with room for other files of a test. */
  folder: string
  /** The person's checkout, on branch `main`. */
  root: string
  /** The `.umpire` folder in it. */
  home: string
  /** Runs git in the checkout and returns what it printed. */
  git(...args: string[]): string
  /** Writes files into the checkout. */
  write(files: Files): void
  /** Writes files into the checkout, commits everything that changed, and returns the commit. */
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
  // The index records when each file was changed, and the copies have other times.
  git('update-index', '-q', '--refresh')
  return repository
}

/** Prepared repositories by their files. Copying one is cheaper than making it with git. */
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
  // Umpire's own folder is never committed, even in a test that did not exclude it.
  // These are patterns, because git refuses to exclude an ignored path by its plain name.
  gitIn(root, 'add', '-A', '--', '.', ':(exclude,glob)\\.umpire', ':(exclude,glob)\\.umpire/**')
  gitIn(root, 'commit', '-q', '--allow-empty', '-m', message)
}

function makeFolder(where = inMemory()): string {
  return realpathSync(mkdtempSync(join(where, 'umpire-repository-')))
}

/** Runs git in any folder. Throws with git's message when it fails. */
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

/** A folder in memory if the system has one, because git waits for the disk after most writes. */
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
