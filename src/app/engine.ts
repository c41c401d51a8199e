/** The engine behind `umpire work`: configuration read, adapters chosen, ports filled in. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { NotifyEntry } from '../config/config.ts'
import { loadConfig } from '../config/load.ts'
import type { Effort } from '../core/effort.ts'
import type { StoredEvent } from '../core/event.ts'
import { createQueue } from '../lib/one-at-a-time.ts'
import { createRedact, type Redact } from '../lib/redact.ts'
import { noticeLanded } from '../loop/notice-landed.ts'
import type { Clock, Ports } from '../loop/ports.ts'
import { type WorkOptions, type WorkReport, work } from '../loop/work.ts'
import type { Announcer } from '../notify/announcer.ts'
import type { Store } from '../store/store.ts'
import { configuredSecrets } from './configured-secrets.ts'
import { createLongLines } from './long-lines.ts'
import { openAttempts, openQueue, openVcs, type Repository } from './repository.ts'
import { createReviewFiles } from './review-files.ts'
import { type Brought, createSettings, nothingBrought } from './settings.ts'

export interface Engine {
  ports: Ports
  /** How many tasks at once, when no flag says so. */
  parallel: number
  work(options: WorkOptions, signal: AbortSignal): Promise<WorkReport>
  /** Looks whether something that waited for a checkout has been merged by its person; a run does so by itself. */
  noticeLanded(): Promise<void>
  /** Who works on what, here and elsewhere. */
  holders(): Promise<Map<number, string>>
  /** Begins to send the notifications that earlier runs left; a run does so by itself. */
  catchUp(): void
  /** Waits a few seconds for notifications on their way, unless the run was interrupted. */
  close(): Promise<void>
}

/** What a program that uses the library gives beside the configuration files. */
export interface Given {
  /** Settings in the words of `umpire.yaml`, over those of the files. */
  given?: object
  brought?: Brought
}

export interface EngineOptions extends Given {
  effort: Effort | null
  observe: (events: StoredEvent[]) => void
  /** Told of what went wrong beside the work, as a notification that could not be delivered. */
  warn?: (text: string) => void
}

/** How long the end of a run may be held up by notifications; the next run sends the rest. */
const graceMs = 5_000

export async function openEngine(
  repository: Repository,
  store: Store,
  options: EngineOptions,
): Promise<Engine> {
  const { root, home, env } = repository
  const { given, brought = nothingBrought } = options
  const names = brought.agents.map((agent) => agent.name)
  const { config } = await loadConfig({ root, env, ...(given && { given }), brought: names })
  const queue = await openQueue(repository)
  const redact = createRedact(env, configuredSecrets(config))
  const announcer = await openAnnouncer(config.notify, { repository, store, redact, warn: options.warn })
  let interruption: AbortSignal | null = null
  const ports: Ports = {
    journal: store.journal,
    archive: store.archive,
    attempts: await openAttempts(repository),
    vcs: await openVcs(repository),
    settings: createSettings({ config, root, env, effort: options.effort, brought }),
    clock: systemClock,
    redact,
    // Loaded only once an agent tells its tokens and not what they cost.
    priceOf: async (model, tokens) => (await import('./prices.ts')).priceOf(model, tokens),
    newToken: () => randomBytes(24).toString('base64url'),
    oneAtATime: createQueue(),
    observe(events) {
      options.observe(events)
      announcer?.observe(events)
    },
    reviewFiles: createReviewFiles(join(home, 'reviews')),
    longLines: createLongLines(home, redact),
  }
  return {
    ports,
    parallel: config.parallel,
    work(run, signal) {
      interruption = signal
      return work(run, ports, queue, signal)
    },
    noticeLanded: () => noticeLanded(ports),
    holders: () => queue.holders(),
    catchUp: () => announcer?.begin(),
    async close() {
      await announcer?.close(interruption?.aborted ? 0 : graceMs)
      await queue.close()
    },
  }
}

/** Nothing of it is loaded where nobody wants to be told. */
async function openAnnouncer(
  entries: NotifyEntry[],
  {
    warn = () => {},
    ...rest
  }: { repository: Repository; store: Store; redact: Redact; warn: EngineOptions['warn'] },
): Promise<Announcer | null> {
  if (entries.length === 0) return null
  const { openAnnouncements } = await import('./announcements.ts')
  return openAnnouncements({ entries, warn, ...rest })
}

/** A timer that is set for longer, some 24 days, goes off at once. */
const longestTimer = 2 ** 31 - 1

const systemClock: Clock = {
  now: () => new Date(),
  until: async (time, signal) => {
    const ms = Date.parse(time) - Date.now()
    if (ms > 0) await sleep(Math.min(ms, longestTimer), undefined, { signal })
  },
}
