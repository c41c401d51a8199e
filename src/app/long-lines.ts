/**
 * Keeps each line that is too long for a table in `.umpire/transcripts/<session>-<sequence>.txt`, mode 0600. It is
 * redacted on the way there, in pieces, because the line may be larger than memory.
 */
import { createReadStream } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Redact, redactPieces } from '../lib/text/redact.ts'
import type { LongLines } from '../loop/ports.ts'
import { bytes } from '../view/amounts.ts'

/** So much of a long line is also in the table: enough to see what it was. */
const beginning = 10_000

export function longLinePath(home: string, session: string, sequence: number): string {
  return join(home, 'transcripts', `${session}-${sequence}.txt`)
}

export function createLongLines(home: string, redact: Redact): LongLines {
  return {
    async keep(session, sequence, { text, rest }) {
      const path = longLinePath(home, session, sequence)
      await mkdir(join(home, 'transcripts'), { recursive: true, mode: 0o700 })
      // A worker that was killed here leaves the file under this name, and the next one begins it again.
      const beside = `${path}.new`
      const file = await open(beside, 'w', 0o600)
      try {
        const start = await copy(text, rest, redact, file)
        await rename(beside, path)
        const { size } = await file.stat()
        return `${start}… [the whole line, ${bytes(size)}, is in .umpire/transcripts/${session}-${sequence}.txt]`
      } catch (error) {
        await rm(beside, { force: true })
        throw error
      } finally {
        await file.close()
      }
    },
  }
}

/** Of all sessions of a task; what the tables hold of them stays. */
export async function removeLongLines(home: string, task: number): Promise<void> {
  const folder = join(home, 'transcripts')
  for (const name of await readdir(folder).catch(() => []))
    if (name.startsWith(`${task}-`)) await rm(join(folder, name), { force: true })
}

/** Gives back the beginning of what was written. */
async function copy(text: string, rest: string, redact: Redact, to: FileHandle): Promise<string> {
  const redactor = redactPieces(redact)
  let start = ''
  const write = async (ready: string) => {
    if (start.length < beginning) start += ready.slice(0, beginning - start.length)
    await to.writeFile(ready)
  }
  await write(redactor.push(text))
  for await (const piece of createReadStream(rest, { encoding: 'utf8', highWaterMark: 256 * 1024 }))
    await write(redactor.push(piece))
  await write(redactor.finish())
  // The row that points here is stored lazily, but the attempt's folder is removed once the session's end is durable.
  await to.sync()
  return start
}
