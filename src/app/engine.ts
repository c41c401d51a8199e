/** The engine behind `umpire work`: configuration read, adapters chosen, ports filled in. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { loadConfig } from '../config/load.ts'
import type { Effort } from '../core/effort.ts'
import type { StoredEvent } from '../core/event.ts'
import { createRedact } from '../lib/redact.ts'
import type { Clock, Ports } from '../loop/ports.ts'
import { type WorkOptions, type WorkReport, work } from '../loop/work.ts'
import type { Store } from '../store/store.ts'
import { createLongLines } from './long-lines.ts'
import { openAttempts, openQueue, openVcs, type Repository } from './repository.ts'
import { createReviewFiles } from './review-files.ts'
import { createSettings } from './settings.ts'

export interface Engine {
  ports: Ports
  /** How many tasks at once, when no flag says so. */
  parallel: number
  work(options: WorkOptions, signal: AbortSignal): Promise<WorkReport>
  /** Who works on what, here and elsewhere. */
  holders(): Promise<Map<number, string>>
  close(): Promise<void>
}

export interface EngineOptions {
  effort: Effort | null
  observe: (events: StoredEvent[]) => void
}

export async function openEngine(
  repository: Repository,
  store: Store,
  options: EngineOptions,
): Promise<Engine> {
  const { root, home, env } = repository
  const { config } = await loadConfig({ root, env })
  const queue = await openQueue(repository)
  const redact = createRedact(env)
  const ports: Ports = {
    journal: store.journal,
    archive: store.archive,
    attempts: await openAttempts(repository),
    vcs: await openVcs(repository),
    settings: createSettings({ config, root, env, effort: options.effort }),
    clock: systemClock,
    redact,
    newToken: () => randomBytes(24).toString('base64url'),
    observe: options.observe,
    reviewFiles: createReviewFiles(join(home, 'reviews')),
    longLines: createLongLines(home, redact),
  }
  return {
    ports,
    parallel: config.parallel,
    work: (run, signal) => work(run, ports, queue, signal),
    holders: () => queue.holders(),
    close: () => queue.close(),
  }
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
