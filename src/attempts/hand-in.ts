/**
 * The agent's side of an attempt: what `umpire submit`, the session's tools and the guard write into the folder. It
 * counts also when no Umpire is there at that moment; whether it is valid is judged when it is collected.
 */
import { createHash } from 'node:crypto'
import { appendFile, mkdir, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createAtomically } from '../lib/write-atomically.ts'
import type { HandIn } from './attempt.ts'
import { attemptFolder, isMissing, readIfThere } from './folder.ts'

/**
 * A token is good once: of two hand-ins under the same token the first stays. The file is named after the token,
 * so that one with a wrong token can't take the place of the right one. Throws when there is no such attempt.
 */
export async function handIn(
  root: string,
  id: string,
  given: HandIn,
): Promise<'accepted' | 'already-handed-in'> {
  const folder = attemptFolder(root, id)
  await stat(folder.path)
  await mkdir(folder.handedIn, { recursive: true, mode: 0o700 })
  const name = createHash('sha256').update(given.token).digest('hex')
  const content = JSON.stringify({ token: given.token, body: given.body })
  const outcome = await createAtomically(join(folder.handedIn, name), content)
  return outcome === 'created' ? 'accepted' : 'already-handed-in'
}

/** Oldest first. */
export async function readHandIns(root: string, id: string): Promise<HandIn[]> {
  const folder = attemptFolder(root, id)
  const names = await readdir(folder.handedIn).catch((error: unknown) => {
    if (isMissing(error)) return []
    throw error
  })
  const found: { at: bigint; given: HandIn }[] = []
  for (const name of names.filter((each) => !each.startsWith('.')).sort()) {
    const path = join(folder.handedIn, name)
    const given = parseHandIn((await readIfThere(path)) ?? '')
    if (given !== null) found.push({ at: (await stat(path, { bigint: true })).mtimeNs, given })
  }
  return found.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)).map(({ given }) => given)
}

/** The agent can write into its folder, so anything may lie there. */
function parseHandIn(text: string): HandIn | null {
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
  try {
    await appendFile(attemptFolder(root, id).refused, `${text.replace(/\s+/g, ' ').trim()}\n`, {
      mode: 0o600,
    })
  } catch (error) {
    if (!isMissing(error)) throw error
  }
}

export async function readRefusals(root: string, id: string): Promise<string[]> {
  const text = (await readIfThere(attemptFolder(root, id).refused)) ?? ''
  return text.split('\n').filter((line) => line !== '')
}
