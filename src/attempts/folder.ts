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
 *   handed-in/        what the agent handed in, one file for each token
 *   refused           moves that were refused to the agent, one line each
 */
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ProcessIdentity, parseIdentity } from '../lib/process-identity.ts'

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

export type Keeper =
  | { kind: 'none' }
  | { kind: 'void' }
  | { kind: 'won'; identity: ProcessIdentity; mark: string }

export async function readKeeper(folder: AttemptFolder): Promise<Keeper> {
  let text = await readIfThere(folder.keeper)
  // Where there are no hard links the winner's file is for a moment there and still empty.
  for (let tries = 0; text !== null && !/\n.*\n$/.test(text) && tries < 20; tries++) {
    await sleep(10)
    text = await readIfThere(folder.keeper)
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
  const [, how, code] = /^(exited|overdue) (\d+)\n$/.exec((await readIfThere(folder.result)) ?? '') ?? []
  // Who cancels the task removes the folder, and may do so between the two looks.
  const time = code === undefined ? null : await stat(folder.result).catch(() => null)
  if (time === null) return null
  return { code: Number(code), overdue: how === 'overdue', endedAt: time.mtime.toISOString() }
}

export async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}
