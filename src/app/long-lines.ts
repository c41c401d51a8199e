/**
 * Stores each line that is too long for a table in `.umpire/transcripts/<session>-<sequence>.txt`, mode 0600. Secrets
 * are redacted piece by piece while it is written, because the line may be larger than memory.
 */
import { createReadStream } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Redact, redactPieces } from '../lib/text/redact.ts'
import type { LongLines } from '../loop/ports.ts'
import { bytes } from '../view/amounts.ts'

/** How much of a long line is also stored in the table: enough to recognise it. */
const beginning = 10_000

export function longLinePath(home: string, session: string, sequence: number): string {
  return join(home, 'transcripts', `${session}-${sequence}.txt`)
}

export function createLongLines(home: string, redact: Redact): LongLines {
  return {
    async keep(session, sequence, { text, rest }) {
      const path = longLinePath(home, session, sequence)
      await mkdir(join(home, 'transcripts'), { recursive: true, mode: 0o700 })
      // If the worker is killed here, the file stays under this name, and the next worker writes it again from the start.
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

/** Removes the files of all sessions of a task. The rows in the tables stay. */
export async function removeLongLines(home: string, task: number): Promise<void> {
  const folder = join(home, 'transcripts')
  for (const name of await readdir(folder).catch(() => []))
    if (name.startsWith(`${task}-`)) await rm(join(folder, name), { force: true })
}

/** Returns the beginning of the written text. */
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
  // The file must be durable now: the attempt's folder is removed once the end of the session is durable, and the row
  // that points to this file may be stored later.
  await to.sync()
  return start
}
