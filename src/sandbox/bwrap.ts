/** ADAPTER: bubblewrap, the sandbox that Flatpak uses. Linux only. */
import { existsSync, realpathSync, statSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { basename, delimiter, dirname, isAbsolute, join, relative, sep } from 'node:path'
import { type ExecResult, reasonOf, tryProgram } from '../lib/process/exec.ts'
import { cachedPrograms, packageCaches } from './package-caches.ts'
import type { Bounds, Sandbox, SandboxState } from './sandbox.ts'

export interface BwrapOptions {
  /** The path of the program; null when there is none. */
  program: string | null
  /** Paths that every run must be able to see, wherever they are: the repository, and Umpire itself. */
  needed: string[]
  /** The environment for trying it. Default: this process's. */
  env?: NodeJS.ProcessEnv
}

export function openBwrap({ program, needed, env = process.env }: BwrapOptions): Sandbox {
  let works: Promise<SandboxState> | null = null
  let nests: Promise<boolean> | null = null
  let offline: Promise<SandboxState> | null = null
  function state(): Promise<SandboxState> {
    works ??= program === null ? Promise.resolve(missing) : tryIt(program, env)
    return works
  }
  /** If the sandbox does not work at all, trying it without a network would tell nothing new. */
  async function tryOffline(): Promise<SandboxState> {
    const known = await state()
    return program === null || known.kind !== 'works' ? known : tryIt(program, env, { offline: true })
  }
  return {
    state,
    nests() {
      nests ??= program === null ? Promise.resolve(false) : tryWithin(program, env)
      return nests
    },
    withoutNetwork() {
      offline ??= tryOffline()
      return offline
    },
    caches: (env) => packageCaches(env).filter((path) => existsSync(path)),
    async enter(argv, bounds) {
      if (program === null) throw new Error('there is no sandbox to enter')
      for (const folder of bounds.state) await makeFolder(folder)
      // `env` reports a missing program by the same exit code as every shell.
      const runner = argv[0].includes('=') ? [] : ['/usr/bin/env']
      return [program, ...bwrapArguments(boxOf(bounds, argv, needed)), ...runner, ...argv]
    },
  }
}

const missing: SandboxState = {
  kind: 'missing',
  why: 'bwrap is not on the PATH',
  fix: 'Install bubblewrap, for example: apt install bubblewrap.',
}

async function tryIt(
  program: string,
  env: NodeJS.ProcessEnv,
  how: Pick<Box, 'offline'> = {},
): Promise<SandboxState> {
  const ran = await run(program, [], env, how)
  if (ran?.code === 0) return { kind: 'works', by: program }
  return {
    kind: 'refused',
    why: `${program} does not work here (${reasonOf(ran)})`,
    fix: 'Allow it to create user namespaces, which many containers and some systems forbid. See docs/sandbox.md.',
  }
}

/** A program that creates its own sandbox always creates a user namespace. */
async function tryWithin(program: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const within = [program, '--unshare-user', '--ro-bind', '/', '/', '--dev', '/dev', '--']
  return (await run(program, within, env))?.code === 0
}

function run(
  program: string,
  within: string[],
  env: NodeJS.ProcessEnv,
  how: Pick<Box, 'offline'> = {},
): Promise<ExecResult | null> {
  const box = bwrapArguments({ ...emptyBox, ...how, isRoot: isRoot() })
  return tryProgram([program, ...box, ...within, 'true'], env)
}

const emptyBox: Box = { cwd: '/', writable: [], kept: [], temporary: ['/tmp'], needed: [], isRoot: false }

function boxOf(
  { cwd, env, writable, state, steering, kept, network }: Bounds,
  argv: string[],
  always: string[],
): Box {
  const mayWrite = [...writable, ...state]
  const needed = [...always, cwd, env.HOME ?? '', ...mayWrite, ...programs(argv, env, network)]
  return {
    cwd: real(cwd),
    writable: mayWrite.map(real),
    kept: [...kept, ...steering.filter(isFile), ...cachedPrograms(env).filter(existsSync)].map(real),
    temporary: [
      ...temporaryFolders(env, mayWrite.map(real)),
      ...(network === 'none' ? serviceFolders() : []),
    ],
    ...(network === 'none' ? { offline: true } : {}),
    // Under its usual name, and under its real path.
    needed: needed.filter(isAbsolute).flatMap((path) => [path, real(path)]),
    isRoot: isRoot(),
  }
}

/** A folder stays writable, because the program may keep its own files in it. */
function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true
}

/**
 * The paths in the command line and the PATH. Without a network only the PATH counts, because an argument could name
 * the socket of a service.
 */
function programs(argv: string[], env: Record<string, string>, network: Bounds['network']): string[] {
  const folders = (env.PATH ?? '').split(delimiter).filter(isAbsolute)
  if (network === 'none') return folders
  const named = folders.map((folder) => join(folder, argv[0] ?? ''))
  return [...folders, ...named, ...argv.filter((word) => isAbsolute(word) && existsSync(word))]
}

/**
 * A folder inside something writable is left as it is, and so is anything that is not a folder. A folder of the user's
 * that contains more than temporary files, such as `/usr` or the home folder, is left too: a program's neighbours
 * belong to it.
 */
function temporaryFolders(
  { TMPDIR = '', PATH = '', HOME = '' }: Record<string, string>,
  writable: string[],
): string[] {
  const inUse = [HOME, ...PATH.split(delimiter)].filter(isAbsolute).map(real)
  const own = [TMPDIR].filter(isAbsolute).map(real)
  const folders = ['/tmp', ...own.filter((folder) => !inUse.some((path) => holds(folder, path)))]
  return folders
    .map(real)
    .filter(
      (folder) =>
        folder !== sep &&
        statSync(folder, { throwIfNoEntry: false })?.isDirectory() &&
        !writable.some((path) => holds(path, folder)),
    )
}

/**
 * The folders of the machine's service sockets, which no network namespace closes. Some systems keep programs there
 * too.
 */
function serviceFolders(): string[] {
  return [...new Set(['/run', '/var/run'].map(real))].filter((folder) => existsSync(folder))
}

function holds(folder: string, path: string): boolean {
  return folder === sep || `${path}${sep}`.startsWith(`${folder}${sep}`)
}

/** The path without symbolic links. A missing path may exist by the time the program starts. */
function real(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path === dirname(path) ? path : join(real(dirname(path)), basename(path))
  }
}

/** If it can't be created, the program itself will say what is missing. */
async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 }).catch(() => {})
}

function isRoot(): boolean {
  return process.getuid?.() === 0
}

export interface Box {
  cwd: string
  writable: string[]
  /** Read-only, though inside something writable. */
  kept: string[]
  /** Folders for temporary files: empty, private and gone afterwards. */
  temporary: string[]
  /** Paths that must exist although they are in a temporary folder or in shared memory. */
  needed: string[]
  isRoot: boolean
  /** With its own, empty network. */
  offline?: boolean
}

/**
 * Capabilities that root keeps: those for working with other users' files, and the one for creating a nested sandbox.
 * All others are dropped, because some of them would let root mount its way out.
 */
const rightsOfRoot = ['CAP_CHOWN', 'CAP_DAC_OVERRIDE', 'CAP_FOWNER', 'CAP_SETFCAP']

/**
 * The arguments for bubblewrap. Pure: all paths were resolved before and contain no symbolic links, because a mount on
 * a link would end up somewhere else. The order matters, because later mounts cover earlier ones. There is no
 * `--die-with-parent`: the first SIGTERM also reaches bubblewrap, and with that flag it would kill the agent at once
 * instead of asking it. Nothing escapes without the flag, because every process inside descends from one with the
 * attempt's mark.
 */
export function bwrapArguments({ cwd, writable, kept, temporary, needed, isRoot, offline }: Box): string[] {
  return [
    ...['--cap-drop', 'ALL'],
    ...(isRoot ? rightsOfRoot.flatMap((right) => ['--cap-add', right]) : []),
    '--unshare-pid',
    ...(offline ? ['--unshare-net'] : []),
    ...['--ro-bind', '/', '/'],
    ...['--dev', '/dev', '--proc', '/proc'],
    // Its own /dev hides the shared memory of the machine, where a repository may be.
    ...readOnly(entriesHolding(needed, '/dev/shm')),
    ...outermostFirst(temporary).flatMap((folder) => [
      ...['--tmpfs', folder],
      ...readOnly(entriesHolding(needed, folder)),
    ]),
    ...outermostFirst(writable).flatMap((path) => ['--bind-try', path, path]),
    ...readOnly(outermostFirst(kept)),
    ...['--chdir', cwd, '--'],
  ]
}

function readOnly(paths: string[]): string[] {
  return paths.flatMap((path) => ['--ro-bind-try', path, path])
}

/** The entries of the folder that contain one of the paths, at any depth. */
export function entriesHolding(paths: string[], folder: string): string[] {
  const entries = paths
    .map((path) => relative(folder, path))
    .filter((path) => path !== '' && path !== '..' && !path.startsWith(`..${sep}`))
    .map((path) => `${folder}${sep}${path.split(sep)[0]}`)
  return [...new Set(entries)]
}

function outermostFirst(paths: string[]): string[] {
  return [...new Set(paths)].sort((one, other) => one.length - other.length || (one < other ? -1 : 1))
}
