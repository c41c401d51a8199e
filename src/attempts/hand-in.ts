/**
 * The agent's side of an attempt: what `umpire submit`, the session's tools and the guard write into the folder. It
 * counts also when no Umpire is there at that moment; whether it is valid is judged when it is collected.
 */
import { constants } from 'node:fs'
import { mkdir, open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { readRegular } from '../lib/file/read-regular.ts'
import { createAtomically } from '../lib/file/write-atomically.ts'
import { sha256 } from '../lib/text/sha256.ts'
import type { HandIn } from './attempt.ts'
import { attemptFolder, isMissing, namesIn } from './folder.ts'

/** How many are kept that say something else than the first. */
const mostContradictions = 5

/** No review is nearly as long; of a longer one only so much is kept, which nobody can read as one. */
const longestBody = 1_000_000

/** With its token and all that JSON escapes. */
const longestFile = 8 * longestBody

/** Whoever puts more files there than this is not handing in. */
const mostFiles = 1000

const mostRefusals = 100
const longestRefusal = 500
const longestRefusals = 64 * 1024

/**
 * A token is good once: the first hand-in under it is accepted. The same again changes nothing. A different one is not
 * accepted either, but it is kept beside the first: two that contradict each other are never to be taken for a review,
 * whichever of them came first, and whoever wrote it. The files are named after the token, so that one with a wrong
 * token can't take the place of the right one. Throws when there is no such attempt.
 */
export async function handIn(
  root: string,
  id: string,
  { token, body: whole }: HandIn,
): Promise<'accepted' | 'already-handed-in' | 'contradicted'> {
  const folder = attemptFolder(root, id)
  await stat(folder.path)
  await mkdir(folder.handedIn, { recursive: true, mode: 0o700 })
  const first = join(folder.handedIn, sha256(token))
  const body = whole.slice(0, longestBody)
  if ((await createAtomically(first, JSON.stringify({ token, body }))) === 'created') return 'accepted'
  if ((await readHandIn(first))?.body === body) return 'already-handed-in'
  for (let number = 2; number < 2 + mostContradictions; number++) {
    const beside = `${first}.${number}`
    if ((await createAtomically(beside, JSON.stringify({ token, body }))) === 'created') return 'contradicted'
    if ((await readHandIn(beside))?.body === body) return 'contradicted'
  }
  // What can't be read spoils an approval as well as a contrary review would.
  await createAtomically(`${first}.more`, JSON.stringify({ token, body: 'and more' }))
  return 'contradicted'
}

/** Whether anything was handed in under this token. */
export async function hasHandedIn(root: string, id: string, token: string): Promise<boolean> {
  return (await readHandIn(join(attemptFolder(root, id).handedIn, sha256(token)))) !== null
}

/** Oldest first. */
export async function readHandIns(root: string, id: string): Promise<HandIn[]> {
  const folder = attemptFolder(root, id)
  const names = (await namesIn(folder.handedIn)).filter((name) => !name.startsWith('.'))
  const found: { at: bigint; given: HandIn }[] = []
  for (const name of names.sort().slice(0, mostFiles)) {
    const path = join(folder.handedIn, name)
    const given = await readHandIn(path)
    const time = given && (await stat(path, { bigint: true }).catch(() => null))
    if (given && time) found.push({ at: time.mtimeNs, given })
  }
  return found.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)).map(({ given }) => given)
}

async function readHandIn(path: string): Promise<HandIn | null> {
  return parseHandIn((await readRegular(path, longestFile)) ?? '')
}

/** The agent can write into its folder, so anything may lie there. */
export function parseHandIn(text: string): HandIn | null {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || !('token' in value) || !('body' in value)) return null
    const { token, body } = value
    return typeof token === 'string' && typeof body === 'string' ? { token, body } : null
  } catch {
    return null
  }
}

/** Remembers what was refused to the agent. An attempt whose folder is gone has nobody left who would read it. */
export async function noteRefusal(root: string, id: string, text: string): Promise<void> {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NONBLOCK, O_NOFOLLOW } = constants
  const flags = O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_NOFOLLOW
  try {
    const file = await open(attemptFolder(root, id).refused, flags, 0o600)
    await file.appendFile(`${text.replace(/\s+/g, ' ').trim()}\n`).finally(() => file.close())
  } catch (error) {
    if (!isMissing(error) && !isOutOfPlace(error)) throw error
  }
}

/** The agent has put something else in the place of the file. */
function isOutOfPlace(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(ENXIO|ELOOP|EISDIR)$/.test(String(error.code))
}

/** The agent can write this file, too, so no more of it is read than a person would. */
export async function readRefusals(root: string, id: string): Promise<string[]> {
  const text = await readRegular(attemptFolder(root, id).refused, longestRefusals, 'beginning')
  const lines = (text ?? '').split('\n').filter((line) => line !== '')
  return lines.slice(0, mostRefusals).map((line) => line.slice(0, longestRefusal))
}
