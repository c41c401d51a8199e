/**
 * The contents of an attempt's folder, `<root>/<id>/` (mode 0700, files 0600):
 *
 *   prompt            the agent's standard input
 *   keeper            which keeper won the attempt: identity and mark; or `void` if it was killed before any had
 *   keeper.<mark>     the same file under its original name
 *   stdout, stderr    what the agent printed; overflow-* are the ends of overlong lines
 *   overdue           the keeper's watcher has stopped it at its limit
 *   quiet             Umpire is about to stop it because it was quiet for long enough
 *   result            `exited <code>` or `overdue <code>`; the file's time is when it ended
 *   files/            the agent's own settings, and the session of its tools
 *   handed-in/        what the agent submitted: a file per token, and later submissions that contradict it
 *   requests/         what the session's tools ask Umpire, and
 *   answers/          Umpire's answers
 *   refused           what Umpire refused to the agent, one line each
 */

import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { codeOf } from '../lib/error-code.ts'
import { readRegular } from '../lib/file/read-regular.ts'
import { type ProcessIdentity, parseIdentity } from '../lib/process/process-identity.ts'

export interface AttemptFolder {
  path: string
  prompt: string
  keeper: string
  stdout: string
  stderr: string
  quiet: string
  result: string
  files: string
  handedIn: string
  requests: string
  answers: string
  refused: string
}

export function attemptFolder(root: string, id: string): AttemptFolder {
  if (!/^\w[\w.-]*$/.test(id)) throw new Error(`not a valid attempt id: ${JSON.stringify(id)}`)
  const path = join(root, id)
  return {
    path,
    prompt: join(path, 'prompt'),
    keeper: join(path, 'keeper'),
    stdout: join(path, 'stdout'),
    stderr: join(path, 'stderr'),
    quiet: join(path, 'quiet'),
    result: join(path, 'result'),
    files: join(path, 'files'),
    handedIn: join(path, 'handed-in'),
    requests: join(path, 'requests'),
    answers: join(path, 'answers'),
    refused: join(path, 'refused'),
  }
}

/** The variables that identify an agent's tree and its keeper. Their value is the mark. */
export const treeMark = 'UMPIRE_ATTEMPT_MARK'
export const keeperMark = 'UMPIRE_KEEPER'

/**
 * This variable contains the folder's path. It finds an attempt's processes after the folder, and the mark with it, was
 * deleted.
 */
export const folderMark = 'UMPIRE_ATTEMPT_FOLDER'

/** Written to make sure that an attempt never runs. */
export const voidKeeper = 'void\n\n'

/** A keeper's record is much shorter. */
const longestRecord = 4096

export type Keeper =
  | { kind: 'none' }
  | { kind: 'void' }
  | { kind: 'won'; identity: ProcessIdentity; mark: string }

export async function readKeeper(folder: AttemptFolder): Promise<Keeper> {
  let text = await readRegular(folder.keeper, longestRecord)
  // Without hard links, the winner's file exists for a moment while it is still empty.
  for (let tries = 0; text !== null && !/\n.*\n$/.test(text) && tries < 20; tries++) {
    await sleep(10)
    text = await readRegular(folder.keeper, longestRecord)
  }
  if (text === null) return { kind: 'none' }
  const [first = '', mark = ''] = text.split('\n')
  const identity = parseIdentity(first)
  return identity === null || mark === '' ? { kind: 'void' } : { kind: 'won', identity, mark }
}

export interface Result {
  code: number
  overdue: boolean
  endedAt: string
}

/** Null if there is no result, or if a power cut left only an empty file. */
export async function readResult(folder: AttemptFolder): Promise<Result | null> {
  const text = (await readRegular(folder.result, longestRecord)) ?? ''
  const [, how, code] = /^(exited|overdue) (\d+)\n$/.exec(text) ?? []
  // Cancelling the task removes the folder, and that may happen between the two reads.
  const time = code === undefined ? null : await stat(folder.result).catch(() => null)
  if (time === null) return null
  return { code: Number(code), overdue: how === 'overdue', endedAt: time.mtime.toISOString() }
}

/** The names in a folder that the agent can write to. Empty if the agent replaced the folder. */
export async function namesIn(folder: string): Promise<string[]> {
  return await readdir(folder).catch((error: unknown) => {
    if (isMissing(error) || noFolder.has(codeOf(error))) return []
    throw error
  })
}

const noFolder = new Set<unknown>(['ENOTDIR', 'EACCES', 'EPERM', 'ELOOP'])

export function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT'
}
