/**
 * Reads a file in a place where others can write, too: what lies there may be a pipe that nobody ever writes to, a link to
 * somewhere else, a device, or longer than can be held. Opening it never waits, and no more than `most` bytes are read.
 */
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW

/**
 * Null when there is no regular file of that name that may be read. Of one that is longer than `most` bytes there is
 * `nothing`, or its `beginning`.
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

/** The file itself, for whoever reads it in pieces. */
export async function openRegular(path: string): Promise<FileHandle | null> {
  const file = await open(path, flags).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && nothingToRead.has(error.code)) return null
    throw error
  })
  if (file === null || (await file.stat()).isFile()) return file
  await file.close()
  return null
}

/** Nothing is there, a link is, a socket is, a folder is in the way, or somebody has closed it to us. */
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

/** By what is read and not by the size that was told, because the file may grow meanwhile. */
async function readUpTo(file: FileHandle, most: number): Promise<Buffer> {
  const pieces: Buffer[] = []
  let length = 0
  while (length < most) {
    // Most files here are a line or two, and are looked at once a second for each of many agents.
    const piece = Buffer.allocUnsafe(Math.min(pieces.length === 0 ? 2048 : 64 * 1024, most - length))
    const { bytesRead } = await file.read(piece, 0, piece.length, length)
    if (bytesRead === 0) break
    pieces.push(piece.subarray(0, bytesRead))
    length += bytesRead
  }
  return Buffer.concat(pieces)
}
