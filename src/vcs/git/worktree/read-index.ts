/**
 * Reads git's index file, for what `git status` does not tell: which files git was told to overlook, and which paths
 * are tracked. Reading the file costs far less than starting `git ls-files`, and this is done at every turn of a loop.
 * The format is documented in git's own `gitformat-index`; what is not understood here is left to git.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface IndexEntry {
  path: string
  assumed: boolean
  skipped: boolean
}

/** Null for an index that is split over several files or is of a kind unknown here. */
export async function readIndex(gitDir: string, hashBytes: number): Promise<IndexEntry[] | null> {
  const bytes = await readFile(join(gitDir, 'index')).catch((error) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  return bytes === null ? [] : parseIndex(bytes, hashBytes)
}

const headerBytes = 12
/** Times, device, inode, mode, owner and size, which come before the hash. */
const statBytes = 40

function parseIndex(bytes: Buffer, hashBytes: number): IndexEntry[] | null {
  const version = bytes.length > headerBytes ? bytes.readUInt32BE(4) : 0
  if (bytes.toString('latin1', 0, 4) !== 'DIRC' || version < 2 || version > 4) return null
  const entries: IndexEntry[] = []
  let at = headerBytes
  let name = Buffer.alloc(0)
  for (let left = bytes.readUInt32BE(8); left > 0; left--) {
    const start = at
    const flags = bytes.readUInt16BE(start + statBytes + hashBytes)
    const extended = (flags & 0x4000) !== 0
    const more = extended ? bytes.readUInt16BE(start + statBytes + hashBytes + 2) : 0
    at = start + statBytes + hashBytes + (extended ? 4 : 2)
    let kept = Buffer.alloc(0)
    if (version === 4) {
      const strip = readVariable(bytes, at)
      kept = name.subarray(0, name.length - strip.value)
      at = strip.end
    }
    const end = bytes.indexOf(0, at)
    if (end < 0) return null
    name = Buffer.concat([kept, bytes.subarray(at, end)])
    // Before version 4 an entry is filled up with zeros to a multiple of eight bytes.
    at = version === 4 ? end + 1 : start + (Math.floor((end - start) / 8) + 1) * 8
    const path = name.toString('utf8')
    entries.push({ path, assumed: (flags & 0x8000) !== 0, skipped: (more & 0x4000) !== 0 })
  }
  return isSplit(bytes, at, hashBytes) ? null : entries
}

/** The number of bytes to take off the name before, seven bits at a time, each continued byte counting one more. */
function readVariable(bytes: Buffer, from: number): { value: number; end: number } {
  let at = from
  let byte = bytes.readUInt8(at++)
  let value = byte & 0x7f
  while (byte & 0x80) {
    byte = bytes.readUInt8(at++)
    value = (value + 1) * 128 + (byte & 0x7f)
  }
  return { value, end: at }
}

function isSplit(bytes: Buffer, from: number, hashBytes: number): boolean {
  for (let at = from; at + 8 <= bytes.length - hashBytes; at += 8 + bytes.readUInt32BE(at + 4)) {
    if (bytes.toString('latin1', at, at + 4) === 'link') return true
  }
  return false
}
