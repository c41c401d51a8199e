/**
 * Reads a file in a place where others can write too. There may be a pipe that no process ever writes to, a link, a
 * device, or a file too long for memory. Opening never waits, and at most `most` bytes are read.
 */

import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { codeOf } from '../error-code.ts'

const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW

/**
 * Null if there is no readable regular file of that name. A file longer than `most` bytes gives `nothing`, or its
 * `beginning`.
 */
export async function readRegular(
  path: string,
  most: number,
  ofLonger: 'nothing' | 'beginning' = 'nothing',
): Promise<string | null> {
  const file = await openRegular(path)
  if (file === null) return null
  try {
    const bytes = await readUpTo(file, most + 1)
    if (bytes.length <= most) return bytes.toString('utf8')
    return ofLonger === 'nothing' ? null : bytes.subarray(0, most).toString('utf8')
  } finally {
    await file.close()
  }
}

/** The open file, for callers that read it in pieces. */
export async function openRegular(path: string): Promise<FileHandle | null> {
  const file = await open(path, flags).catch((error: unknown) => {
    if (nothingToRead.has(codeOf(error))) return null
    throw error
  })
  if (file === null || (await file.stat()).isFile()) return file
  await file.close()
  return null
}

/** Errors that mean: no file, a link or a socket, a folder in the way, or no permission. */
const nothingToRead = new Set<unknown>([
  'ENOENT',
  'ENOTDIR',
  'ELOOP',
  'EMLINK',
  'ENXIO',
  'ENODEV',
  'EOPNOTSUPP',
  'EISDIR',
  'EACCES',
  'EPERM',
])

/** Counts the bytes read instead of trusting the file's size, because the file may grow meanwhile. */
async function readUpTo(file: FileHandle, most: number): Promise<Buffer> {
  const pieces: Buffer[] = []
  let length = 0
  while (length < most) {
    // Most files here are a line or two, and are read once a second for each of many agents.
    const piece = Buffer.allocUnsafe(Math.min(pieces.length === 0 ? 2048 : 64 * 1024, most - length))
    const { bytesRead } = await file.read(piece, 0, piece.length, length)
    if (bytesRead === 0) break
    pieces.push(piece.subarray(0, bytesRead))
    length += bytesRead
  }
  return Buffer.concat(pieces)
}
