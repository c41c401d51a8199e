/** Creates the notifiers that the configuration asks for, and the announcer that uses them. */
import { basename, dirname } from 'node:path'
import type { NotifyEntry } from '../config/config.ts'
import { findProgram } from '../lib/process/exec.ts'
import type { Redact } from '../lib/text/redact.ts'
import { sha256 } from '../lib/text/sha256.ts'
import { type Announcer, openAnnouncer } from '../notify/announcer.ts'
import { type BellTerminal, bellNotifier } from '../notify/bell.ts'
import { commandNotifier } from '../notify/command.ts'
import { type DesktopProgram, desktopNotifier, desktopPrograms } from '../notify/desktop.ts'
import type { Notifier } from '../notify/notifier.ts'
import { openOutbox } from '../notify/outbox.ts'
import { webhookNotifier } from '../notify/webhook.ts'
import type { Store } from '../store/store.ts'
import { databasePath, type Repository } from './repository.ts'

export interface AnnouncementsInput {
  entries: NotifyEntry[]
  repository: Repository
  store: Store
  redact: Redact
  warn: (text: string) => void
  /** The terminal on which the bell rings. */
  terminal: BellTerminal
}

/** If another process locks the database, the notification waits for the next run. The person must not wait for it. */
const patienceMs = 5_000

export async function openAnnouncements(input: AnnouncementsInput): Promise<Announcer> {
  const { entries, repository, store, redact, warn, terminal } = input
  const now = () => new Date()
  return openAnnouncer({
    channels: entries.map((entry) => ({
      key: channelKey(entry),
      notifier: createNotifier(entry, repository, redact, terminal),
      quiet: entry.quiet,
    })),
    outbox: await openOutbox({ path: databasePath(repository), patienceMs }, now),
    journal: store.journal,
    archive: store.archive,
    repository: basename(dirname(repository.home)),
    end: await store.journal.lastSeq(),
    now,
    warn,
  })
}

/** Identifies a notifier by its target, not by its position in the list. It is hashed, because an address may be a secret. */
export function channelKey(entry: NotifyEntry): string {
  switch (entry.kind) {
    case 'command':
      return `command ${sha256(entry.command).slice(0, 16)}`
    case 'webhook':
      return `webhook ${sha256(entry.url).slice(0, 16)}`
    default:
      return entry.kind
  }
}

function createNotifier(
  entry: NotifyEntry,
  { root, env }: Repository,
  redact: Redact,
  terminal: BellTerminal,
): Notifier {
  switch (entry.kind) {
    case 'bell':
      return bellNotifier(terminal)
    case 'command':
      return commandNotifier({ command: entry.command, cwd: root, env, redact })
    case 'webhook':
      return webhookNotifier({ url: entry.url })
    case 'desktop':
      return desktopNotifier({ program: findDesktop(env), sound: entry.sound, env })
  }
}

export function findDesktop(env: Record<string, string>): { kind: DesktopProgram; path: string } | null {
  for (const kind of desktopPrograms(process.platform)) {
    const path = findProgram(kind, env.PATH)
    if (path !== null) return { kind, path }
  }
  return null
}
