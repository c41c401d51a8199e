import { once } from 'node:events'
import { createReadStream, existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type LineReader, openLineReader } from '../../app/line-reader.ts'
import { longLinePath } from '../../app/long-lines.ts'
import type { Role } from '../../core/session/session.ts'
import type { TaskStatus } from '../../core/task.ts'
import { printable } from '../../lib/text/printable.ts'
import type { Message, SessionRow } from '../../store/archive.ts'
import type { Store } from '../../store/store.ts'
import { eventMessage } from '../../view/event-view.ts'
import { sessionHeader } from '../../view/session-line.ts'
import type { Invocation } from '../invocation.ts'
import { outputPaint, print, printJsonLine } from '../screen/output.ts'
import { findLoop, readTask } from '../with-store.ts'

export interface LogOptions {
  follow?: boolean
  cycle?: number
  role?: Role
  raw?: boolean
  json?: boolean
}

/** How many messages to read at a time. A transcript may be larger than memory. */
const page = 100
const followEveryMs = 300

export async function log(id: number, options: LogOptions, invocation: Invocation): Promise<void> {
  await readTask(invocation, id, async (_, store, repository) => {
    const { home } = repository
    const reader = options.raw || options.json ? null : await openLineReader(repository)
    const shown = new Map<string, Shown>()
    let notes: Note[] = []
    let known = 0
    for (;;) {
      const {
        standing: { status },
        version,
      } = await findLoop(id, store)
      const active = status === 'in_progress'
      if (version !== known && !options.raw) notes = await readNotes(id, store)
      known = version
      for (const session of await store.archive.sessions(id)) {
        const wanted =
          (options.cycle ?? session.cycle) === session.cycle &&
          (options.role ?? session.role) === session.role
        if (!wanted) continue
        const own = notes.filter((note) => note.session === session.id)
        shown.set(
          session.id,
          await showNew(session, shown.get(session.id), own, { options, store, home, reader, invocation }),
        )
      }
      // `active` was read before the messages. If the task had already ended by then, everything has been shown.
      if (!options.follow || !active) {
        if (shown.size === 0 && !options.raw && !options.json)
          print(nothingToShow(id, status, options), invocation)
        return
      }
      await sleep(followEveryMs)
    }
  })
}

function nothingToShow(id: number, status: TaskStatus, { cycle, role }: LogOptions): string {
  const those = [role && ` of a ${role}`, cycle !== undefined && ` in cycle ${cycle}`]
    .filter(Boolean)
    .join('')
  const none = `Task ${id} has no sessions${those} yet.`
  if (those !== '') return `${none} umpire show ${id} lists the sessions it has.`
  return status === 'pending' ? `${none} umpire work ${id} starts it.` : none
}

/**
 * How far a session was shown, and its last text, because many agents print their answer twice. A line is open while
 * the next message may continue it.
 */
interface Shown {
  sequence: number
  notes: number
  said: string | null
  line: 'open' | 'ended'
}

const nothingShown: Shown = { sequence: -1, notes: 0, said: null, line: 'ended' }

interface Context {
  options: LogOptions
  store: Store
  home: string
  /** Null if lines are shown exactly as the agent printed them. */
  reader: LineReader | null
  invocation: Invocation
}

async function showNew(
  session: SessionRow,
  shown: Shown | undefined,
  notes: Note[],
  { options, store, home, reader, invocation }: Context,
): Promise<Shown> {
  if (shown === undefined && !options.raw && !options.json)
    print(sessionHeader(session, outputPaint(invocation)), invocation)
  let { sequence, notes: told, said, line } = shown ?? nothingShown
  const endLine = () => {
    if (line === 'open') print('', invocation)
    line = 'ended'
  }
  /** Prints each note between the lines, at the time when it was recorded. */
  const tellNotes = (until: string | null) => {
    for (const note of notes.slice(told)) {
      if (until !== null && note.at > until) return
      endLine()
      printNote(note, session, options, invocation)
      told += 1
    }
  }
  for (;;) {
    const messages = await store.archive.messages(session.id, sequence, page)
    for (const message of messages) {
      tellNotes(message.at)
      const file = longLine(message, session, home)
      if (file && options.raw && !options.json) await printFile(file, invocation)
      else if (reader?.isPiece(session.agent, message)) {
        const piece = reader.words(session.agent, message) ?? ''
        invocation.stdout.write(printable(piece))
        said = line === 'open' ? `${said}${piece}` : piece
        line = 'open'
      } else if (reader) {
        const words = reader.words(session.agent, message)
        if (words !== null) endLine()
        said = printWords(words, message, said, invocation)
      } else printMessage(message, session, options, invocation)
      sequence = message.sequence
    }
    if (messages.length === page) continue
    tellNotes(null)
    if (session.endedAt !== null || !options.follow) endLine()
    return { sequence, notes: told, said, line }
  }
}

interface Note {
  session: string
  at: string
  text: string
}

/** Reads the notes that are not in the transcripts: reported progress, gates that agents asked for, tools that failed. */
async function readNotes(id: number, { journal }: Store): Promise<Note[]> {
  const events = await journal.load(`task/${id}`)
  return events.flatMap((event) =>
    event.type === 'session.noted' || event.type === 'session.strayed'
      ? [{ session: event.data.session, at: event.at, text: eventMessage(event) }]
      : [],
  )
}

function printNote(
  { at, text }: Note,
  session: SessionRow,
  options: LogOptions,
  invocation: Invocation,
): void {
  const { id, role, cycle, iteration } = session
  if (options.json)
    return printJsonLine({ session: id, role, cycle, iteration, type: 'note', content: text, at }, invocation)
  print(outputPaint(invocation).cyan(`· ${printable(text)}`), invocation)
}

function printMessage(
  message: Message,
  session: SessionRow,
  options: LogOptions,
  invocation: Invocation,
): void {
  if (options.json) {
    const { id, role, cycle, iteration } = session
    return printJsonLine({ session: id, role, cycle, iteration, ...message }, invocation)
  }
  // A terminal must not obey control characters that an agent printed. A file gets the stored text unchanged.
  print(invocation.stdout.isTTY ? printable(message.content) : message.content, invocation)
}

/** Prints the text unless it repeats the previous one. Returns the text that was printed last. */
function printWords(
  words: string | null,
  { content, source }: Message,
  before: string | null,
  invocation: Invocation,
): string | null {
  if (words === null || (words === before && words !== content)) return before
  const text = printable(words)
  print(source === 'stderr' ? outputPaint(invocation).dim(text) : text, invocation)
  return words
}

/** The file with the whole line, if the table has only its beginning. Null if a person deleted the file. */
function longLine({ sequence, content }: Message, { id }: SessionRow, home: string): string | null {
  const file = longLinePath(home, id, sequence)
  return content.endsWith('.txt]') && existsSync(file) ? file : null
}

/** Prints the file in pieces, no faster than the reader takes them, because the line may be larger than memory. */
async function printFile(path: string, invocation: Invocation): Promise<void> {
  const { stdout } = invocation
  for await (const piece of createReadStream(path, { encoding: 'utf8' })) {
    const text = stdout.isTTY ? printable(piece) : piece
    if (!stdout.write(text)) await once(stdout, 'drain')
  }
  print('', invocation)
}
