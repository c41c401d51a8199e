import { once } from 'node:events'
import { createReadStream, existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { longLinePath } from '../app/long-lines.ts'
import type { Role } from '../core/event.ts'
import { printable } from '../lib/printable.ts'
import type { Message, SessionRow } from '../store/archive.ts'
import type { Store } from '../store/store.ts'
import { sessionHeader } from '../view/session-line.ts'
import { outputPaint } from './colours.ts'
import { print, printJsonLine } from './print.ts'
import { findLoop, readTask } from './with-store.ts'

export interface LogOptions {
  follow?: boolean
  cycle?: number
  role?: Role
  raw?: boolean
  json?: boolean
}

/** Read so many messages at a time: a transcript may be larger than memory. */
const page = 100
const followEveryMs = 300

export async function log(id: number, options: LogOptions): Promise<void> {
  await readTask(id, async (_, store, { home }) => {
    const shown = new Map<string, number>()
    for (;;) {
      const active = (await findLoop(id, store)).status === 'in_progress'
      for (const session of await store.archive.sessions(id)) {
        const wanted =
          (options.cycle ?? session.cycle) === session.cycle &&
          (options.role ?? session.role) === session.role
        if (wanted) await showNew(session, shown, options, store, home)
      }
      // Looked at before reading: what was written until then has been shown.
      if (!options.follow || !active) return
      await sleep(followEveryMs)
    }
  })
}

async function showNew(
  session: SessionRow,
  shown: Map<string, number>,
  options: LogOptions,
  store: Store,
  home: string,
): Promise<void> {
  for (;;) {
    const after = shown.get(session.id)
    const messages = await store.archive.messages(session.id, after ?? -1, page)
    if (after === undefined && !options.raw && !options.json) print(sessionHeader(session, outputPaint()))
    for (const message of messages) {
      const file = longLine(message, session, home)
      if (file && options.raw && !options.json) await printFile(file)
      else printMessage(message, session, options)
    }
    shown.set(session.id, messages.at(-1)?.sequence ?? after ?? -1)
    if (messages.length < page) return
  }
}

function printMessage(message: Message, session: SessionRow, options: LogOptions): void {
  if (options.json) {
    const { id, role, cycle, iteration } = session
    return printJsonLine({ session: id, role, cycle, iteration, ...message })
  }
  // A terminal must not obey what an agent printed; a file gets it as it was stored.
  if (options.raw) return print(process.stdout.isTTY ? printable(message.content) : message.content)
  const text = printable(message.content)
  print(message.source === 'stderr' ? outputPaint().dim(text) : text)
}

/** The file with the whole line, where the table has only its beginning. It may have been deleted by hand. */
function longLine({ sequence, content }: Message, { id }: SessionRow, home: string): string | null {
  const file = longLinePath(home, id, sequence)
  return content.endsWith('.txt]') && existsSync(file) ? file : null
}

/** A piece at a time, and no faster than it is read: the line may be larger than memory. */
async function printFile(path: string): Promise<void> {
  for await (const piece of createReadStream(path, { encoding: 'utf8' })) {
    const text = process.stdout.isTTY ? printable(piece) : piece
    if (!process.stdout.write(text)) await once(process.stdout, 'drain')
  }
  print('')
}
