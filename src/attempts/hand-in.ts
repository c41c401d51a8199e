/**
 * The agent's side of an attempt: what `umpire submit`, the session's tools and the guard write into the folder. It
 * counts even if no Umpire is running at that moment. Umpire checks it when it collects it.
 */

import { constants } from 'node:fs'
import { mkdir, open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '../lib/error-code.ts'
import { readRegular } from '../lib/file/read-regular.ts'
import { createAtomically } from '../lib/file/write-atomically.ts'
import { sha256 } from '../lib/text/sha256.ts'
import type { HandIn } from './attempt.ts'
import { attemptFolder, isMissing, namesIn } from './folder.ts'

/** How many submissions are kept that differ from the first. */
const mostContradictions = 5

/** No review is nearly as long. A longer one is cut off here, which makes it unreadable as a review. */
const longestBody = 1_000_000

/** Includes the token and JSON escapes. */
const longestFile = 8 * longestBody

/** An agent that writes more files than this is not submitting. */
const mostFiles = 1000

const mostRefusals = 100
const longestRefusal = 500
const longestRefusals = 64 * 1024

/**
 * A token is good once: the first submission under it is accepted. Repeating it changes nothing. A different one is not
 * accepted either, but it is kept next to the first. Two submissions that contradict each other never count as a
 * review, whichever came first and whichever process wrote them. The files are named after the token, so a submission
 * with a wrong token can't replace the right one. Throws if there is no such attempt.
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
  // An unreadable submission invalidates an approval just as a contradicting review does.
  await createAtomically(`${first}.more`, JSON.stringify({ token, body: 'and more' }))
  return 'contradicted'
}

/** Whether anything was submitted under this token. */
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

/** The agent can write into its folder, so the text can be anything. */
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

/** Records a refusal. If the attempt's folder is gone, nothing will read it any more. */
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

/** The agent replaced the file with something else. */
function isOutOfPlace(error: unknown): boolean {
  return /^(ENXIO|ELOOP|EISDIR)$/.test(String(codeOf(error)))
}

/** The agent can write this file too, so only a readable amount is read. */
export async function readRefusals(root: string, id: string): Promise<string[]> {
  const text = await readRegular(attemptFolder(root, id).refused, longestRefusals, 'beginning')
  const lines = (text ?? '').split('\n').filter((line) => line !== '')
  return lines.slice(0, mostRefusals).map((line) => line.slice(0, longestRefusal))
}
