/**
 * Runs a program to its end and returns the outcome as a value. It never uses a shell: the arguments reach the program
 * unchanged. The program leads its own process group, so a timeout or an abort can stop everything that it started.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { setMaxListeners } from 'node:events'
import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, isAbsolute, join } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import { oneLine } from '../text/printable.ts'

export interface ExecOptions {
  cwd?: string
  /** The whole environment. Default: that of this process. */
  env?: NodeJS.ProcessEnv
  /** Written to standard input, which is then closed. */
  stdin?: string | Buffer
  limitMs?: number
  /** A program that prints more than this on standard output is stopped. The output up to then is kept. */
  maxBytes?: number
  /** How long a program may take to exit before it is killed. */
  graceMs?: number
}

export interface ExecResult {
  /** Null when a signal ended it. */
  code: number | null
  signal: NodeJS.Signals | null
  stdout: Buffer
  stderr: string
  timedOut: boolean
  /** It printed more than `maxBytes`. */
  truncated: boolean
}

const defaultMaxBytes = 64 * 1024 * 1024
const maxErrorBytes = 1024 * 1024
const defaultGraceMs = 2_000
/** A grandchild may keep the pipes open after the program has exited. Nothing of interest comes that late. */
const drainMs = 500

type Cause = 'timeout' | 'overflow' | 'abort'

/**
 * Rejects if the program can't be started, and with the signal's reason if that aborts (once the group is gone). Every
 * other end is a result.
 */
export async function exec(
  [file, ...args]: readonly [string, ...string[]],
  options: ExecOptions = {},
  signal?: AbortSignal,
): Promise<ExecResult> {
  signal?.throwIfAborted()
  const child = spawn(file, args, {
    cwd: options.cwd,
    env: options.env ?? process.env,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let stop: (cause: Cause) => void = () => {}
  const stopped = new Promise<Cause>((resolve) => {
    stop = resolve
  })
  const onAbort = () => stop('abort')
  const timer = options.limitMs === undefined ? null : setTimeout(() => stop('timeout'), options.limitMs)
  // One signal may stop any number of programs, so this is not a leak.
  if (signal) setMaxListeners(0, signal)
  signal?.addEventListener('abort', onAbort, { once: true })
  try {
    const stdout = collect(child.stdout, options.maxBytes ?? defaultMaxBytes, () => stop('overflow'))
    const stderr = collect(child.stderr, maxErrorBytes, () => {})
    feed(child, options.stdin ?? '')
    const exited = exitOf(child)

    // The first cause wins: the program exits, or there is a reason to stop it.
    const cause = await Promise.race([exited.then(() => null), stopped])
    if (cause !== null) await endGroup(child, exited, options.graceMs ?? defaultGraceMs)
    const { code, signal: endedBy } = await exited
    await Promise.race([Promise.all([stdout.closed, stderr.closed]), fallsQuiet(stdout, stderr)])

    if (cause === 'abort') signal?.throwIfAborted()
    return {
      code,
      signal: endedBy,
      stdout: stdout.bytes(),
      stderr: stderr.bytes().toString('utf8'),
      timedOut: cause === 'timeout',
      truncated: stdout.overflowed(),
    }
  } finally {
    if (timer) clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
    child.stdout.destroy()
    child.stderr.destroy()
  }
}

function exitOf(child: ChildProcess): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => resolve({ code, signal }))
  })
}

/**
 * Resolves when no more output comes. The time alone does not tell: if this process was busy for longer, the timer
 * fires before the pipes were read, and the program's output would silently be lost. So it reads once more after the
 * timer, and again as long as there is something.
 */
async function fallsQuiet(...pipes: { size(): number }[]): Promise<void> {
  const sizes = () => pipes.reduce((sum, pipe) => sum + pipe.size(), 0)
  await delay(drainMs, undefined, { ref: false })
  for (let looks = 0, before = -1; looks < mostLooks && before !== sizes(); looks += 1) {
    before = sizes()
    // Two turns of the event loop: the first may be the rest of the one in which the timer fired.
    await nextTurn()
    await nextTurn()
  }
}

/** How many reads to wait for a process that keeps the pipe and never stops printing. */
const mostLooks = 1_000

function feed(child: ChildProcess, stdin: string | Buffer): void {
  // A program that exits without reading its input breaks the pipe. That is its right, and not our failure.
  child.stdin?.on('error', () => {})
  child.stdin?.end(stdin)
}

function collect(stream: Readable, limit: number, onOverflow: () => void) {
  const chunks: Buffer[] = []
  let size = 0
  let overflowed = false
  stream.on('error', () => {})
  stream.on('data', (chunk: Buffer) => {
    if (overflowed) return
    const room = limit - size
    chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk)
    size += chunk.length
    if (size <= limit) return
    overflowed = true
    onOverflow()
  })
  return {
    closed: new Promise<void>((resolve) => stream.once('close', () => resolve())),
    bytes: () => Buffer.concat(chunks),
    size: () => size,
    overflowed: () => overflowed,
  }
}

/**
 * Asks the whole group to exit, waits, and kills what is left, even if the leader exited at once and others did not.
 */
async function endGroup(child: ChildProcess, exited: Promise<unknown>, graceMs: number): Promise<void> {
  if (child.pid === undefined) return
  const group = -child.pid
  if (!signalGroup(group, 'SIGTERM')) return
  const deadline = Date.now() + graceMs
  while (Date.now() < deadline && signalGroup(group, 0)) await delay(10)
  signalGroup(group, 'SIGKILL')
  await exited
}

/** False if the group no longer exists. */
function signalGroup(group: number, name: NodeJS.Signals | 0): boolean {
  try {
    process.kill(group, name)
    return true
  } catch {
    return false
  }
}

/** A program that starts a whole runtime to print its version takes a while on a busy machine. */
const limitMs = 20_000

/**
 * Runs a program only to see whether it works. Runs outside the repository, so that the repository's settings don't
 * apply. Null if the program can't be started.
 */
export async function tryProgram(
  argv: [string, ...string[]],
  env: NodeJS.ProcessEnv,
): Promise<ExecResult | null> {
  return exec(argv, { cwd: env.TMPDIR || tmpdir(), env, limitMs, maxBytes: 64 * 1024 }).catch(() => null)
}

/** Why the program did not do what it should. */
export function reasonOf(ran: ExecResult | null): string {
  if (ran === null) return 'it can’t be started'
  if (ran.timedOut) return `no answer in ${limitMs / 1000} s`
  const words = oneLine(ran.stderr.trim().split('\n').at(-1) ?? '', 120)
  return words || (ran.code === 0 ? 'it printed nothing' : `exit code ${ran.code}`)
}

/**
 * The environment with only absolute folders in PATH. An empty entry, or one such as `.` or `node_modules/.bin`, means
 * the current working directory of a process. There the author of its files would choose the programs.
 */
export function withAbsolutePath<E extends Record<string, string | undefined>>(env: E): E {
  const { PATH } = env
  if (PATH === undefined) return env
  return { ...env, PATH: PATH.split(delimiter).filter(isAbsolute).join(delimiter) }
}

/** Finds a program as a shell would; null if there is none. */
export function findProgram(program: string, path: string | undefined): string | null {
  if (isAbsolute(program)) return isProgram(program) ? program : null
  const folders = (path ?? '').split(delimiter).filter((folder) => folder !== '')
  return folders.map((folder) => join(folder, program)).find(isProgram) ?? null
}

function isProgram(path: string): boolean {
  if (!existsSync(path) || !statSync(path).isFile()) return false
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
