/**
 * The e2e harness: a scratch repository, its configuration, and the built command in its own environment. A call runs
 * in this process, which saves thousands of starts of Node. `start` runs a separate process, for tests that stop,
 * freeze or signal it, or run two at once: a claim on a task belongs to a process. The agents are always processes.
 * They play a scenario (`test/fixtures/agents/actor.sh` and `actor.mjs`) unless a test names others.
 */

import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach } from 'vitest'
import type { LedgerIssue } from '../../src/core/review/review-record.ts'
import type { Role } from '../../src/core/session/session.ts'
import type { TaskSummary } from '../../src/core/summary.ts'
import { hasProc, readEnvironment, readStat } from '../../src/lib/process/process-identity.ts'
import { findTree, send } from '../../src/lib/process/process-tree.ts'
import type { GateRow, ReviewRow, SessionRow } from '../../src/store/archive.ts'
import type { EventView } from '../../src/view/event-view.ts'
import { openInvocation } from './invocation.ts'
import { type Files, inMemory, makeRepository, type TestRepository } from './repository.ts'
import { scenarioScript } from './scenario-script.ts'

export const builtCommand = resolve(import.meta.dirname, '../../dist/main.js')
const actor = resolve(import.meta.dirname, '../fixtures/agents/actor.sh')
/** The code of the command, without the part that needs its own process. */
const builtCli: Promise<typeof import('../../src/cli/run-cli.ts')> = import(
  resolve(import.meta.dirname, '../../dist/run-cli.js')
)

/** The result of one call of the command. */
export interface Ran {
  code: number | null
  stdout: string
  stderr: string
  json<T>(): T
}

export interface Running {
  readonly pid: number
  /** What it printed so far. */
  stdout(): string
  kill(signal: NodeJS.Signals): void
  readonly ended: Promise<Ran>
}

export interface Bench extends TestRepository {
  /** The environment of the command and its agents. */
  env: Record<string, string>
  /** Calls the command in the checkout and waits for its end. */
  umpire(...args: string[]): Promise<Ran>
  /** The same, with another folder, more environment, or something on standard input. */
  call(args: string[], more?: CallOptions): Promise<Ran>
  /** Starts the command as a separate process. */
  start(...args: string[]): Running
  /** Adds a task and returns its number. */
  add(title: string, ...flags: string[]): Promise<number>
  /** `umpire show ID --json --prompts`. */
  show(id: number): Promise<Shown>
  /** All events, as `umpire events --json` prints them. */
  events(): Promise<EventView[]>
  /** What the actors of this bench did, in order. */
  played(): Played[]
  /** Replaces the scenario from now on. */
  play(scenario: Scenario): void
}

export interface CallOptions {
  cwd?: string
  env?: Record<string, string>
  stdin?: string
  /** Runs it in a separate process. */
  process?: 'own'
}

/** What `umpire show` prints as JSON. */
export interface Shown extends TaskSummary {
  description: string
  accept: string[]
  scope: string | null
  sessions: (SessionRow & { prompt: string })[]
  reviews: ReviewRow[]
  gates: GateRow[]
  issues: LedgerIssue[]
}

/** What the actor records: once when it starts, and once for every command that its part runs. */
export interface Played {
  session: string
  role: Role
  task: number
  pid: number
  cwd: string
  /** Absent in the record of the start. */
  argv?: string[]
  code?: number | null
  stdout?: string
  stderr?: string
  /** The tool that it called, and the answer. */
  call?: string
  answer?: string
  isError?: boolean
  /** The tools that its session's server offers. */
  tools?: { name: string; description: string; inputSchema: { properties: Record<string, object> } }[]
}

export interface Scenario {
  developer?: Part[]
  reviewer?: Part[]
  parser?: Part[]
  /** Without a resolver, conflicts stay unresolved. */
  resolver?: Part[]
}

/**
 * The first part that fits is played. `session` is the session's number in its task, or its id after the task's number.
 */
export interface Part {
  task?: number | string
  cycle?: number
  iteration?: number
  session?: number | string
  do: Act[]
}

/** Paths are relative to the working directory; `$BENCH` in them is the folder around the checkout. */
export type Act =
  | { write: Files }
  | { run: string[]; stdin?: string; env?: Record<string, string> }
  | { submit: unknown }
  /** Calls a tool of its session, or lists the tools. */
  | { call: string; with?: object; server?: string[] }
  | { list: 'tools' }
  | { say: string }
  | { complain: string }
  | { echo: 'prompt' }
  /** Tells the test that the actor got here. */
  | { touch: string }
  /** Waits until the test, or another actor, has made this file. */
  | { await: string }
  /** Starts a process in its own session that would run forever, and leaves it running. */
  | { leave: 'setsid' | 'setsid without environment' }
  | { ignore: NodeJS.Signals[] }
  | { die: NodeJS.Signals }
  | { exit: number }

export interface BenchOptions {
  scenario?: Scenario
  /** Overrides the default configuration, key by key. */
  config?: Record<string, unknown>
  files?: Files
  /** Real agents need it on the disk: their own sandbox hides a home folder in memory. */
  place?: 'memory' | 'disk'
  /**
   * Runs every call in a separate process: for tests that change the database behind Umpire's back, because a
   * connection of this process may live on after it was closed (see sqlite-driver.ts).
   */
  process?: 'own'
}

const benches = new Set<Bench>()

export function openBench(options: BenchOptions = {}): Bench {
  const { scenario = {}, config = {}, files = {} } = options
  const settings = {
    roles: { developer: 'actor', reviewer: 'actor' },
    limits: { agent_retries: 0 },
    ...config,
    agents: { actor: { command: ['sh', actor] }, ...(config.agents as object | undefined) },
  }
  // JSON is YAML, too.
  const text = `${JSON.stringify(settings, null, 2)}\n`
  const repository = makeRepository(
    { 'README.md': '# Example\n', 'umpire.yaml': text, ...files },
    options.place === 'disk' ? tmpdir() : inMemory(),
  )
  const { folder, root } = repository
  const env = cleanEnvironment(folder)

  async function call(args: string[], more: CallOptions = {}): Promise<Ran> {
    if ((more.process ?? options.process) === 'own') return start(args, more).ended
    const { runCli } = await builtCli
    const { cwd = root, stdin = '' } = more
    const opened = openInvocation({ args, cwd, env: { ...env, ...more.env }, stdin })
    const code = await runCli(opened.invocation)
    const stdout = opened.stdout()
    return { code, stdout, stderr: opened.stderr(), json: () => JSON.parse(stdout) }
  }

  function start(args: string[], more: CallOptions = {}) {
    const child = spawn(process.execPath, [builtCommand, ...args], {
      cwd: more.cwd ?? root,
      env: { ...env, ...more.env },
      stdio: 'pipe',
    })
    child.stdin.on('error', () => {})
    child.stdin.end(more.stdin ?? '')
    return overChild(child)
  }

  const bench: Bench = {
    ...repository,
    env,
    umpire: (...args) => call(args),
    call,
    start: (...args) => start(args),
    async add(title, ...flags) {
      const { code, stdout, stderr } = await bench.umpire('add', ...flags, '--', title)
      if (code !== 0) throw new Error(`umpire add: ${stderr}`)
      return Number(stdout.trim().slice(1))
    },
    show: async (id) => (await bench.umpire('show', String(id), '--json', '--prompts')).json(),
    async events() {
      const { stdout } = await bench.umpire('events', '--json')
      return lines(stdout).map((line) => JSON.parse(line))
    },
    played: () => {
      const notes = join(folder, 'played.jsonl')
      return existsSync(notes) ? lines(readFileSync(notes, 'utf8')).map((line) => JSON.parse(line)) : []
    },
    play: (next) => {
      writeFileSync(join(folder, 'scenario.json'), JSON.stringify(next))
      writeFileSync(join(folder, 'scenario.sh'), scenarioScript(next))
    },
  }
  bench.play(scenario)
  benches.add(bench)
  return bench
}

/** Nothing from the person who runs the tests, and nothing from an Umpire around them. */
function cleanEnvironment(folder: string): Record<string, string> {
  const home = join(folder, 'home')
  mkdirSync(home)
  return {
    PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
    HOME: home,
    XDG_CONFIG_HOME: join(home, 'no-config'),
    GIT_CONFIG_NOSYSTEM: '1',
    LANG: 'C.UTF-8',
    TMPDIR: folder,
    BENCH: folder,
  }
}

export function overChild(child: ChildProcess): Running {
  const heard = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      heard[name] += text
    })
  }
  return {
    pid: child.pid ?? 0,
    stdout: () => heard.stdout,
    kill: (signal) => void child.kill(signal),
    ended: new Promise((done, fail) => {
      child.once('error', fail)
      child.once('close', (code) => done({ code, ...heard, json: () => JSON.parse(heard.stdout) }))
    }),
  }
}

/** On a busy machine, everything is slow. */
const neverAfterMs = 120_000

/** Polls until the condition holds, and fails if it never does. */
export async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (const since = performance.now(); !(await condition()); await sleep(10))
    if (performance.now() - since > neverAfterMs) throw new Error(`never came: ${what}`)
}

export const fileAppears = (path: string) => until(() => existsSync(path), path)

/** A zombie, which a container without an init keeps forever, does not count as running. */
export function isRunning(pid: number | string): boolean {
  const stat = readStat(Number(pid))
  return stat !== null && !/[ZXx]/.test(stat.state)
}

/** The processes of a bench: started with its environment, below such a process, or working in its folder. */
export async function processesOf({ folder }: Bench): Promise<number[]> {
  const found = new Set(hasProc ? [] : await findTree({ name: 'BENCH', value: folder }))
  const children = new Map<number, number[]>()
  for (const name of hasProc ? readdirSync('/proc') : []) {
    const pid = /^\d+$/.test(name) ? Number(name) : process.pid
    const stat = pid === process.pid ? null : readStat(pid)
    if (stat === null || /[ZXx]/.test(stat.state)) continue
    children.set(stat.parent, [...(children.get(stat.parent) ?? []), pid])
    if (readEnvironment(pid).includes(`BENCH=${folder}\0`) || folderOf(pid).startsWith(folder)) found.add(pid)
  }
  // Iterating a set also visits entries that are added meanwhile.
  for (const pid of found) for (const child of children.get(pid) ?? []) found.add(child)
  return [...found]
}

/** A keeper may live on for a moment after it has published. */
export const nothingRuns = (bench: Bench) =>
  until(async () => (await processesOf(bench)).length === 0, 'the end of all processes')

function folderOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return ''
  }
}

/** A process that is left after this time does not end by itself. Most are gone after a few milliseconds. */
const leftAfterMs = 30_000

afterEach(async () => {
  const left: string[] = []
  for (const bench of benches) {
    // A keeper lives on for a moment after it has published.
    let pids = await processesOf(bench)
    for (const since = performance.now(); pids.length > 0 && performance.now() - since < leftAfterMs; ) {
      await sleep(5)
      pids = await processesOf(bench)
    }
    for (const pid of pids) {
      left.push(`${pid}: ${commandLine(pid)}`)
      send(pid, 'SIGKILL')
    }
    bench.remove()
  }
  benches.clear()
  if (left.length > 0) throw new Error(`left behind by the test:\n${left.join('\n')}`)
})

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return 'gone meanwhile'
  }
}

function lines(text: string): string[] {
  return text.split('\n').filter((line) => line !== '')
}
