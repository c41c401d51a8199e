/**
 * Every call of git goes through here: by argument list, in a cleaned environment, under a time limit. A call that ends
 * unexpectedly becomes a VcsError that says what to do.
 */

import { existsSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { UserError, VcsError } from '../../core/errors.ts'
import { codeOf } from '../../lib/error-code.ts'
import { type ExecResult, exec } from '../../lib/process/exec.ts'
import { sha256 } from '../../lib/text/sha256.ts'

interface GitCall {
  cwd: string
  stdin?: string | Buffer
  env?: Record<string, string>
  /** Exit codes that are an answer and not a failure. Default: only 0. */
  ok?: number[]
  limitMs?: number
  maxBytes?: number
  /**
   * `read`: takes no locks that a person's own git would have to wait for. `hooks`: the repository's hooks run in the
   * person's own locale, and every result is returned, because a failed hook is not a failure of git.
   */
  mode?: 'read' | 'write' | 'hooks'
}

export type RunGit = (args: string[], call: GitCall, signal?: AbortSignal) => Promise<ExecResult>

export interface GitLimits {
  /** For a single git command that runs no hooks. */
  commandMs: number
  /** For a command that fills a working tree, with the repository's post-checkout hook. */
  checkoutMs: number
  /** How long to wait for a lock of another git process. */
  lockMs: number
}

export const defaultGitLimits: GitLimits = { commandMs: 120_000, checkoutMs: 600_000, lockMs: 3_000 }

/**
 * Settings that win over every configuration file. The first lines keep a changed file from looking unchanged, the
 * others keep git from starting background work, from walking into submodules and from quoting paths.
 */
const settings = [
  'core.fsmonitor=false',
  'core.ignoreStat=false',
  'core.trustctime=true',
  'core.checkStat=default',
  'sparse.expectFilesOutsideOfPatterns=false',
  'core.quotePath=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'submodule.recurse=false',
  'advice.detachedHead=false',
].flatMap((setting) => ['-c', setting])

/** This variable finds a git process that outlived its worker. Its value identifies the folder that git works in. */
export const gitMark = 'UMPIRE_GIT'
export const markOf = (cwd: string) => sha256(cwd).slice(0, 20)

function markEnv({ mode, cwd }: GitCall): Record<string, string> {
  return mode === 'write' || mode === 'hooks' ? { [gitMark]: markOf(cwd) } : {}
}

export function openGitRun(env: NodeJS.ProcessEnv, limits: GitLimits): RunGit {
  const clean = cleanEnv(env)
  return async (args, call, signal) => {
    const limitMs = call.limitMs ?? limits.commandMs
    const options = {
      cwd: call.cwd,
      env: { ...clean, ...modeEnv(call.mode ?? 'read'), ...call.env, ...markEnv(call) },
      stdin: call.stdin ?? '',
      limitMs,
      ...(call.maxBytes === undefined ? {} : { maxBytes: call.maxBytes }),
    }
    let deadline: number | null = null
    for (let pause = 20; ; pause *= 2) {
      const result = await exec(['git', ...settings, ...args], options, signal).catch((error) => {
        throw notStarted(error, call.cwd)
      })
      if (result.code === 0) return result
      const isAnswer = result.code !== null && (call.ok ?? [0]).includes(result.code)
      // Git does not wait for index and ref locks, and several worktrees of one repository share some of them. The time
      // runs from the first refusal, because on a busy machine the call itself can take longer than the wait.
      deadline ??= Date.now() + limits.lockMs
      const isPassing = metHalfMade(result) || (!isAnswer && metLock(result))
      if (isPassing && Date.now() + pause < deadline) {
        await delay(pause * (0.5 + Math.random()), undefined, { signal })
        continue
      }
      if (isAnswer) return result
      if (call.mode === 'hooks' || (result.truncated && call.maxBytes !== undefined)) return result
      throw gitFailure(args, result, limitMs)
    }
  }
}

/** Calls the guard before each call that can change something. */
export function guardedRun(run: RunGit, guard: () => Promise<void>): RunGit {
  return async (args, call, signal) => {
    if (call.mode === 'write' || call.mode === 'hooks') await guard()
    return run(args, call, signal)
  }
}

/** What is wrong and what to do. Also for the result of a `hooks` call that turned out to be git's own failure. */
export function gitFailure(args: string[], result: ExecResult, limitMs: number): VcsError {
  const name = args.find((arg, place) => !arg.startsWith('-') && args[place - 1] !== '-c')
  const command = `git ${name ?? ''}`.trim()
  if (result.timedOut) {
    return new VcsError(
      `${command} was stopped because it took longer than ${Math.ceil(limitMs / 1000)} s.`,
      'Check whether git works by hand in this repository. A filter, credential helper or file system may hang.',
    )
  }
  const lock = /Unable to create '(.+\.lock)'/.exec(result.stderr)?.[1]
  if (lock) {
    return new VcsError(
      `${command} failed: ${lock} is in the way.`,
      'Another git process is running there, or was killed. If none is running, delete that file.',
    )
  }
  const how = result.code === null ? `ended by ${result.signal}` : `exit code ${result.code}`
  const error = new VcsError(`${command} failed (${how}): ${lastWords(result)}`)
  // A full disk gets the file system's own error code, so that it is not taken for a fault of the repository.
  return /No space left on device/.test(result.stderr) ? Object.assign(error, { code: 'ENOSPC' }) : error
}

/** The part of git's output that says what is wrong, on one line. */
export function lastWords(result: ExecResult): string {
  const lines = (result.stderr.trim() || result.stdout.toString('utf8').trim()).split('\n')
  const wrong = lines.filter((line) => /^(fatal|error):/.test(line))
  const words = (wrong.length > 0 ? wrong : lines.slice(-3)).join(' / ')
  return words === '' ? 'it printed nothing' : words.slice(0, 1_000)
}

/** All output, for people. A hook may write to either stream. */
export function allWords(result: ExecResult): string {
  return [result.stderr, result.stdout.toString('utf8')]
    .map((text) => text.trim())
    .join('\n')
    .trim()
}

function notStarted(error: unknown, cwd: string): unknown {
  const code = codeOf(error)
  if (code !== 'ENOENT' && code !== 'EACCES') return error
  if (!existsSync(cwd))
    return new VcsError(`The folder ${cwd} is gone.`, 'Create it again, or run umpire retry.')
  return new UserError('Umpire needs git, but git is not on the PATH.', 'Install git, then try again.')
}

const locks = [
  /Unable to create '.+\.lock': File exists/,
  /could not lock config file/,
  /cannot lock ref .*File exists/s,
]

function metLock({ stderr }: ExecResult): boolean {
  return locks.some((pattern) => pattern.test(stderr))
}

/**
 * Git first reads the entries of all worktrees, and dies at one that another git is just writing. It has done nothing
 * then, so this is never an answer, whatever exit codes the caller expects. Otherwise `git worktree remove` would leave
 * the worktree of merged work behind.
 */
function metHalfMade({ stderr }: ExecResult): boolean {
  return /failed to read .*worktrees\/.+\/commondir/.test(stderr)
}

function modeEnv(mode: 'read' | 'write' | 'hooks'): Record<string, string> {
  // A language without translations keeps git's messages parseable, and leaves a hook its own character set.
  if (mode === 'hooks') return { LANGUAGE: 'en' }
  return mode === 'read' ? { LC_ALL: 'C', GIT_OPTIONAL_LOCKS: '0' } : { LC_ALL: 'C' }
}

/**
 * Variables that point git at a repository, an index or objects, or change how git reads them. They are set if a hook
 * starts Umpire.
 */
const repositoryVariables =
  /^GIT_(DIR|WORK_TREE|INDEX_FILE|INDEX_VERSION|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|COMMON_DIR|NAMESPACE|PREFIX|CONFIG|CONFIG_PARAMETERS|GRAFT_FILE|SHALLOW_FILE|REPLACE_REF_BASE|IMPLICIT_WORK_TREE|QUARANTINE_PATH|INTERNAL_SUPER_PREFIX|REFLOG_ACTION|ATTR_SOURCE|EXTERNAL_DIFF|DIFF_OPTS|DEFAULT_HASH|(LITERAL|GLOB|NOGLOB|ICASE)_PATHSPECS)$/

function cleanEnv(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => !repositoryVariables.test(name))
  return {
    ...Object.fromEntries(kept),
    GIT_TERMINAL_PROMPT: '0',
    // An editor would wait for a person.
    GIT_EDITOR: ':',
    // A replaced object would show the reviewer different content.
    GIT_NO_REPLACE_OBJECTS: '1',
  }
}
