/** The engine behind `umpire work`: reads the configuration, chooses the adapters and fills in the ports. */
import { randomBytes } from 'node:crypto'
import { basename } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { builtInAgents } from '../agents/built-in.ts'
import type { Config, NotifyEntry } from '../config/config.ts'
import type { StoredEvent } from '../core/event.ts'
import type { Loop } from '../core/loop.ts'
import type { Effort } from '../core/policy/effort.ts'
import type { ParkedTask } from '../core/schedule/out-of-budget.ts'
import { isUnderWay } from '../core/standing.ts'
import { type Asked, isAsked } from '../core/summary.ts'
import { createRedact, type Redact, secretValues } from '../lib/text/redact.ts'
import { landApproved } from '../loop/land/land-approved.ts'
import { createMergeQueue } from '../loop/land/merge-queue.ts'
import type { Clock, Ports } from '../loop/ports.ts'
import { createCheckpoints } from '../loop/review/start-checkpoint.ts'
import { findParked } from '../loop/run/free-parked.ts'
import { type PreparedRun, prepareRun, type WorkOptions, type WorkReport, work } from '../loop/run/work.ts'
import type { Announcer } from '../notify/announcer.ts'
import type { BellTerminal } from '../notify/bell.ts'
import { outlineFiles } from '../sandbox/file-outline.ts'
import { outlineHome } from '../sandbox/home-outline.ts'
import type { Store } from '../store/store.ts'
import { nothingBrought } from './agents/cast-roles.ts'
import { requireAgents } from './agents/require-agents.ts'
import { createBooks } from './books.ts'
import { createLongLines } from './long-lines.ts'
import { type Given, readConfig } from './read-config.ts'
import { openAttempts, openQueue, openVcs, type Repository } from './repository.ts'
import { openSandbox } from './sandbox.ts'
import { createSettings } from './settings.ts'

export interface Engine {
  ports: Ports
  /** How many tasks run at once, unless a flag says otherwise. */
  parallel: number
  /** Prepares a run, for a command that prints something before the run starts. */
  prepare(only: number[] | null): Promise<PreparedRun>
  /** Throws a NoAgentError if an agent that the tasks need can't be started. */
  check(asked: Asked): Promise<void>
  /** With the result of `prepare`, the caller must have called `check` as well. Without it, the run does both itself. */
  work(options: WorkOptions, signal: AbortSignal, prepared?: PreparedRun): Promise<WorkReport>
  /** The tasks that wait for a larger budget. */
  parked(asked: Asked): Promise<ParkedTask[]>
  /** Which process works on which task, this one and others. */
  holders(): Promise<Map<number, string>>
  /** Starts to send the notifications that earlier runs left. A run does this by itself. */
  catchUp(): void
  /** Waits a few seconds for notifications that are being sent, unless the run was interrupted. */
  close(): Promise<void>
}

export interface EngineOptions extends Given {
  effort: Effort | null
  /** The most this run may cost in dollars. Overrides the configuration. */
  budget?: number | null
  observe: (events: StoredEvent[]) => void
  /** Called with problems that do not affect the work, such as a notification that could not be delivered. */
  warn?: (text: string) => void
  /** The terminal on which the bell rings; by default that of this process. */
  terminal?: BellTerminal
}

/** How long notifications may delay the end of a run. The next run sends the rest. */
const graceMs = 5_000

export async function openEngine(
  repository: Repository,
  store: Store,
  options: EngineOptions,
): Promise<Engine> {
  const { root, home, env } = repository
  const { brought = nothingBrought } = options
  const { config } = await readConfig(repository, options)
  const queue = await openQueue(repository)
  const redact = createRedact(env, configuredSecrets(config))
  const announcer = await openAnnouncer(config.notify, {
    ...{ repository, store, redact },
    ...{ warn: options.warn, terminal: options.terminal },
  })
  let interruption: AbortSignal | null = null
  const ports: Ports = {
    archive: store.archive,
    spending: store.spending,
    portRanges: store.portRanges,
    attempts: await openAttempts(repository),
    vcs: await openVcs(repository),
    sandbox: openSandbox(repository),
    outlineHome: () => outlineHome(env.HOME, ownNames(env)),
    outlineFiles: (files) => outlineFiles(files, env.HOME),
    settings: createSettings({
      ...{ config, root, env, brought },
      ...{ effort: options.effort, budget: options.budget ?? null },
    }),
    clock: systemClock,
    redact,
    // The prices are loaded only when an agent reports tokens without their cost.
    priceOf: async (model, tokens) => (await import('./prices.ts')).priceOf(model, tokens),
    newToken: () => randomBytes(24).toString('base64url'),
    checkpoints: createCheckpoints(),
    landings: createMergeQueue(landApproved),
    confirm: async () => {},
    // This only waits. A run with other tasks replaces it, and gives the place to one of them meanwhile.
    rest: (_, wait) => wait(),
    ...createBooks(store, repository, (events) => {
      options.observe(events)
      announcer?.observe(events)
    }),
    longLines: createLongLines(home, redact),
  }
  const check: Engine['check'] = async ({ only, tasks }) => {
    const loops: Loop[] = []
    for (const { id, status } of tasks) {
      const loop = isUnderWay({ status }) && isAsked(only, id) ? await store.archive.loop(id) : null
      if (loop) loops.push(loop)
    }
    await requireAgents(loops, { config, root, env, brought }, ports)
  }
  return {
    ports,
    parallel: config.parallel,
    prepare: (only) => prepareRun(only, ports),
    check,
    async work(run, signal, given) {
      interruption = signal
      const prepared = given ?? (await prepareRun(run.only, ports))
      if (!given) await check(prepared)
      return work(run, prepared, ports, queue, signal)
    },
    parked: ({ only, tasks }) => findParked(only, tasks, ports),
    holders: () => queue.holders(),
    catchUp: () => announcer?.begin(),
    async close() {
      await announcer?.close(interruption?.aborted ? 0 : graceMs)
      await queue.close()
    },
  }
}

/** The prefixes of the names that the built-in agents use in the home folder. */
function ownNames(env: Record<string, string>): string[] {
  return builtInAgents.flatMap((agent) => agent.stateFolders?.(env) ?? []).map((path) => basename(path))
}

/** The notifiers are loaded only if some are configured. */
async function openAnnouncer(
  entries: NotifyEntry[],
  {
    warn = () => {},
    terminal = process.stderr,
    ...rest
  }: {
    repository: Repository
    store: Store
    redact: Redact
    warn: EngineOptions['warn']
    terminal: EngineOptions['terminal']
  },
): Promise<Announcer | null> {
  if (entries.length === 0) return null
  const { openAnnouncements } = await import('./announcements.ts')
  return openAnnouncements({ entries, warn, terminal, ...rest })
}

/** The longest single timer. Timers stop while the machine sleeps, so a long wait is split and checks the clock each time. */
const longestTimerMs = 30_000

const systemClock: Clock = {
  now: () => new Date(),
  until: async (time, signal) => {
    for (;;) {
      signal.throwIfAborted()
      const ms = Date.parse(time) - Date.now()
      if (!(ms > 0)) return
      await sleep(Math.min(ms, longestTimerMs), undefined, { signal })
    }
  },
}

/**
 * Secrets in the configuration. An agent can print the environment variables that it gets from the configuration.
 * Anyone who knows the address of a webhook can write to it.
 */
function configuredSecrets({ roles, agents, notify }: Config): string[] {
  const environments = [
    ...Object.values(roles).map((role) => role?.env),
    ...Object.values(agents).map((agent) => ('env' in agent ? agent.env : undefined)),
  ]
  const addresses = notify.flatMap((entry) =>
    entry.kind === 'webhook' && new URL(entry.url).pathname.length > 1 ? [entry.url] : [],
  )
  return [...environments.flatMap((env) => secretValues(env ?? {})), ...addresses]
}
