/**
 * What lies in an attempt's folder, `<root>/<id>/` (mode 0700, files 0600):
 *
 *   prompt            the agent's standard input
 *   keeper            who won the attempt: identity and mark; or `void` when it was killed before anybody had
 *   keeper.<mark>     the same file under the name from which it was linked
 *   stdout, stderr    what the agent printed; overflow-* are the rests of lines that are too long to hold
 *   overdue           the keeper's watcher has ended it at its limit
 *   quiet             somebody is about to end it because it was quiet for long enough
 *   result            `exited <code>` or `overdue <code>`; its time is the time of the end
 *   files/            the agent's own settings, and what its tools are bound to
 *   handed-in/        what the agent handed in, one file for each token, and beside it what contradicts it
 *   requests/         what the tools of its session ask of whoever attends it, and
 *   answers/          what they were told
 *   refused           moves that were refused to the agent, one line each
 */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
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
  if (!/^\w[\w.-]*$/.test(id)) throw new Error(`not an attempt's id: ${JSON.stringify(id)}`)
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

/** The variable by which an agent's tree is found, and the one by which its keeper is; the value is the mark. */
export const treeMark = 'UMPIRE_ATTEMPT_MARK'
export const keeperMark = 'UMPIRE_KEEPER'

/** By this variable, the folder's path, what runs for an attempt is found when its folder was deleted, and the mark with it. */
export const folderMark = 'UMPIRE_ATTEMPT_FOLDER'

/** Written by whoever makes sure that an attempt never runs. */
export const voidKeeper = 'void\n\n'

/** What a keeper writes is much shorter. */
const longestRecord = 4096

export type Keeper =
  | { kind: 'none' }
  | { kind: 'void' }
  | { kind: 'won'; identity: ProcessIdentity; mark: string }

export async function readKeeper(folder: AttemptFolder): Promise<Keeper> {
  let text = await readRegular(folder.keeper, longestRecord)
  // Where there are no hard links the winner's file is for a moment there and still empty.
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

/** Null when there is none, or when a power cut left only its name. */
export async function readResult(folder: AttemptFolder): Promise<Result | null> {
  const text = (await readRegular(folder.result, longestRecord)) ?? ''
  const [, how, code] = /^(exited|overdue) (\d+)\n$/.exec(text) ?? []
  // Who cancels the task removes the folder, and may do so between the two looks.
  const time = code === undefined ? null : await stat(folder.result).catch(() => null)
  if (time === null) return null
  return { code: Number(code), overdue: how === 'overdue', endedAt: time.mtime.toISOString() }
}

/** What lies in one of the folders that the agent can write into; nothing when it has put something else in its place. */
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

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
