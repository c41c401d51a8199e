/**
 * Files that are either there whole or not at all, whoever is killed when. Both write to a file beside the target
 * first, whose name starts with a dot and which readers of a folder pass over.
 */
import { randomBytes } from 'node:crypto'
import { link, open, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** Replaces what is there. */
export async function writeAtomically(path: string, data: string | Buffer, mode = 0o600): Promise<void> {
  const beside = await writeBeside(path, data, mode)
  try {
    await rename(beside, path)
  } catch (error) {
    await rm(beside, { force: true })
    throw error
  }
}

/** Of all who try at the same time, one creates the file; the others change nothing. */
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
    // Without this a power cut could leave the name in place and the content not yet written.
    await file.sync()
  } catch (error) {
    await rm(beside, { force: true })
    throw error
  } finally {
    await file.close()
  }
  return beside
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
