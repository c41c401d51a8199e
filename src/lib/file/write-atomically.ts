/**
 * Writes files that exist either whole or not at all, even if the process is killed. Both functions first write to a
 * file next to the target. Its name starts with a dot, and readers of a folder skip it.
 */

import { randomBytes } from 'node:crypto'
import { link, open, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { codeOf } from '../error-code.ts'

/** Replaces an existing file. */
export async function writeAtomically(path: string, data: string | Buffer, mode = 0o600): Promise<void> {
  const beside = await writeBeside(path, data, mode)
  try {
    await rename(beside, path)
  } catch (error) {
    await rm(beside, { force: true })
    throw error
  }
}

/** Of all processes that try at the same time, one creates the file. The others change nothing. */
export async function createAtomically(
  path: string,
  data: string | Buffer,
  mode = 0o600,
): Promise<'created' | 'exists'> {
  const beside = await writeBeside(path, data, mode)
  try {
    await link(beside, path)
    return 'created'
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return 'exists'
    if (!noHardLinks.has(codeOf(error))) throw error
    return await createExclusively(path, data, mode)
  } finally {
    await rm(beside, { force: true })
  }
}

const noHardLinks = new Set<unknown>(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV'])

async function createExclusively(
  path: string,
  data: string | Buffer,
  mode: number,
): Promise<'created' | 'exists'> {
  try {
    await writeFile(path, data, { flag: 'wx', mode })
    return 'created'
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return 'exists'
    throw error
  }
}

async function writeBeside(path: string, data: string | Buffer, mode: number): Promise<string> {
  const beside = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}`)
  const file = await open(beside, 'wx', mode)
  try {
    await file.writeFile(data)
    // Without this, a power cut could leave the name without the content.
    await file.sync()
  } catch (error) {
    await rm(beside, { force: true })
    throw error
  } finally {
    await file.close()
  }
  return beside
}
