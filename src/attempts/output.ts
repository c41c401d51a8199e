/**
 * Reads one output file of an attempt as it grows, in pieces of bounded size. The rest of a line over `maxLineBytes`
 * goes to its own file, named after the line's offset. So reading the same output again writes the same file again.
 */
import { type FileHandle, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { openRegular } from '../lib/file/read-regular.ts'
import { type LinePart, splitLines } from '../lib/text/split-lines.ts'
import type { OutputLine } from './attempt.ts'
import type { AttemptFolder } from './folder.ts'

const maxLineBytes = 1_000_000
const chunkBytes = 64 * 1024

export type OutputSource = 'stdout' | 'stderr'

export interface Output {
  readonly source: OutputSource
  /** The next lines. Can be empty although bytes were read. Null at the current end of the file. */
  read(): Promise<OutputLine[] | null>
  /** How many bytes were read so far. */
  readonly position: number
  /** The last line, if it had no newline. */
  finish(): Promise<OutputLine[]>
  close(): Promise<void>
}

export function openOutput(folder: AttemptFolder, source: OutputSource): Output {
  const splitter = splitLines(maxLineBytes)
  const chunk = Buffer.allocUnsafe(chunkBytes)
  let file: FileHandle | null = null
  let offset = 0
  let position = 0
  let lineStart = 0
  let long: { text: string; path: string; file: FileHandle } | null = null

  async function collect(parts: LinePart[]): Promise<OutputLine[]> {
    const lines: OutputLine[] = []
    for (const { part, bytes, end } of parts) {
      if (part === 'whole') {
        lines.push({ text: bytes.toString('utf8'), end })
      } else if (part === 'head') {
        const path = join(folder.path, `overflow-${source}-${lineStart}`)
        long = { text: bytes.toString('utf8'), path, file: await openAnew(path) }
      } else if (long !== null) {
        await long.file.writeFile(bytes)
        if (part === 'tail') {
          await long.file.close()
          lines.push({ text: long.text, end, overflow: long.path })
          long = null
        }
      }
      if (part === 'whole' || part === 'tail') lineStart = end
    }
    return lines
  }

  return {
    source,
    get position() {
      return position
    },
    async read() {
      file ??= await openRegular(folder[source])
      if (file === null) return null
      const { bytesRead } = await file.read(chunk, 0, chunkBytes, offset)
      if (bytesRead === 0) {
        // A program that reopens /dev/stdout may truncate it. What comes then is read from the start.
        if ((await file.stat()).size >= offset) return null
        offset = 0
        return []
      }
      offset += bytesRead
      position += bytesRead
      return await collect(splitter.push(chunk.subarray(0, bytesRead)))
    },
    async finish() {
      return await collect(splitter.finish())
    },
    async close() {
      await long?.file.close()
      await file?.close()
    },
  }
}

/** Replaces whatever was there: if the agent put a pipe in its place, writing to it would never end. */
async function openAnew(path: string): Promise<FileHandle> {
  await rm(path, { recursive: true, force: true })
  return await open(path, 'wx', 0o600)
}
