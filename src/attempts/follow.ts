/**
 * Follows a running attempt, whichever process started it: passes on its output and makes sure that it ends. The first
 * reason to end wins:
 *
 *   a result is there ──► exited        nothing printed for too long ──► kill ──► idle
 *   nothing printed or changed for as long as a finished agent needs ──► mark, kill ──► quiet
 *   the keeper is gone and left no result ──► kill the rest ──► lost
 *   the signal ──► kill, unless another worker has it now ──► aborted
 */
import { type FileHandle, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { LostClaimError } from '../core/errors.ts'
import { openRegular } from '../lib/file/read-regular.ts'
import { watchFolder } from '../lib/file/watch-folder.ts'
import { isAlive } from '../lib/process/process-identity.ts'
import { type LinePart, splitLines } from '../lib/text/split-lines.ts'
import type { AttemptEnd, OutputLine, Watch } from './attempt.ts'
import { type AttemptFolder, readKeeper, readResult } from './folder.ts'
import { explains, isInForce, openPatience, precedes, readQuietMark } from './idle-and-quiet.ts'

/** How often to check the folder and the keeper when no change is reported. */
const pollMs = 1000

export interface Ending {
  kill(): Promise<void>
  /** Marks the attempt as quiet, so that a later follower knows why it was killed, and kills it. */
  finish(): Promise<void>
}

export async function followAttempt(
  folder: AttemptFolder,
  watch: Watch,
  { kill, finish }: Ending,
  signal: AbortSignal,
): Promise<AttemptEnd> {
  const changes = watchFolder(folder.path, 'result')
  const outputs = [openOutput(folder, 'stdout'), openOutput(folder, 'stderr')]
  try {
    const end = await waitForEnd()
    await readOn(outputs, watch)
    for (const output of outputs) await deliver(output, await output.finish(), watch)
    return end
  } finally {
    changes.close()
    for (const output of outputs) await output.close()
  }

  async function waitForEnd(): Promise<AttemptEnd> {
    const patience = openPatience(watch)
    // A previous follower may have died between stopping the attempt and recording that.
    const mark = watch.quiet ? await readQuietMark(folder) : null
    for (;;) {
      const state = await look(folder)
      if (state === 'dead') {
        await kill()
        return { kind: 'lost' }
      }
      if (state !== 'running') return explains(mark, state) ? { kind: 'quiet' } : state
      if (signal.aborted) {
        if (!(signal.reason instanceof LostClaimError)) await kill()
        return { kind: 'aborted' }
      }
      if (isInForce(mark)) {
        await kill()
        return { kind: 'quiet' }
      }
      if ((await readOn(outputs, watch, signal)) || watch.isAwaiting?.()) patience.heard()
      const next = await patience.ask()
      if (typeof next === 'number') {
        await changes.wait(Math.min(pollMs, next), signal)
      } else if (next === 'idle') {
        await kill()
        return { kind: 'idle' }
      } else if (signal.aborted || (await readOn(outputs, watch))) {
        // The agent printed something during the check, or the signal aborted.
        patience.heard()
      } else {
        await finish()
        return await endOfQuiet()
      }
    }
  }

  /** It may have exited by itself just before. */
  async function endOfQuiet(): Promise<AttemptEnd> {
    const [result, mark] = [await readResult(folder), await readQuietMark(folder)]
    return result && precedes(result, mark) ? { kind: 'exited', ...result } : { kind: 'quiet' }
  }
}

async function look(folder: AttemptFolder): Promise<'running' | 'dead' | (AttemptEnd & { kind: 'exited' })> {
  const keeper = await readKeeper(folder)
  const alive = keeper.kind === 'won' && isAlive(keeper.identity)
  // Read the result after checking the keeper: a keeper seen dead can't publish any more.
  const result = await readResult(folder)
  if (result !== null) return { kind: 'exited', ...result }
  return alive ? 'running' : 'dead'
}

/** Reads both files to their current ends, in turns. Returns whether there was anything new. */
async function readOn(outputs: Output[], watch: Watch, signal?: AbortSignal): Promise<boolean> {
  const before = outputs.map((output) => output.position)
  let open = outputs
  while (open.length > 0 && !signal?.aborted) {
    const more: Output[] = []
    for (const output of open) {
      const lines = await output.read()
      if (lines === null) continue
      await deliver(output, lines, watch)
      more.push(output)
    }
    open = more
    await turn()
  }
  return outputs.some((output, index) => output.position !== before[index])
}

async function deliver(output: Output, lines: Parameters<Watch['onLines']>[1], watch: Watch): Promise<void> {
  if (lines.length > 0) await watch.onLines(output.source, lines)
}

const maxLineBytes = 1_000_000
const chunkBytes = 64 * 1024

type OutputSource = 'stdout' | 'stderr'

interface Output {
  readonly source: OutputSource
  /** The next lines. Can be empty although bytes were read. Null at the current end of the file. */
  read(): Promise<OutputLine[] | null>
  /** How many bytes were read so far. */
  readonly position: number
  /** The last line, if it had no newline. */
  finish(): Promise<OutputLine[]>
  close(): Promise<void>
}

/**
 * Reads one output file of an attempt as it grows, in pieces of bounded size. The rest of a line over `maxLineBytes`
 * goes to its own file, named after the line's offset. So reading the same output again writes the same file again.
 */
function openOutput(folder: AttemptFolder, source: OutputSource): Output {
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
