/** A bench whose `claude` on the PATH has the failures that a test gives it, run by run. */
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { type Bench, type BenchOptions, openBench } from './umpire.ts'

const program = resolve(import.meta.dirname, '../fixtures/agents/troubled-claude.mjs')

export interface Trouble {
  lines?: object[]
  write?: Record<string, string>
  /** Printed repeatedly, forever. */
  again?: object
  /** The exit code. Without one it keeps running, unless it succeeds. */
  ends?: number
  succeeds?: true
}

/** The input of one run. */
export interface TroubledRun {
  role: string
  argv: string[]
  prompt: string
  folder: string | null
  files: Record<string, string>
}

export interface TroubledBench extends Bench {
  runs(): TroubledRun[]
}

export function openTroubled(troubles: (Trouble | null)[], options: BenchOptions = {}): TroubledBench {
  const bench = openBench({
    ...options,
    config: { roles: { developer: 'claude', reviewer: 'claude' }, ...options.config },
  })
  const bin = join(bench.folder, 'bin')
  mkdirSync(bin)
  copyFileSync(program, join(bin, 'claude'))
  chmodSync(join(bin, 'claude'), 0o755)
  bench.env.PATH = [bin, bench.env.PATH].join(delimiter)
  // It may write there even when confined.
  const own = join(bench.folder, 'claude')
  mkdirSync(own)
  bench.env.CLAUDE_CONFIG_DIR = own
  writeFileSync(join(own, 'troubles.json'), JSON.stringify(troubles))
  return { ...bench, runs: () => readRuns(own) }
}

function readRuns(folder: string): TroubledRun[] {
  const runs: TroubledRun[] = []
  for (let run = 1; existsSync(join(folder, `run-${run}.json`)); run += 1)
    runs.push(JSON.parse(readFileSync(join(folder, `run-${run}.json`), 'utf8')))
  return runs
}

/** The last line of a run that failed, as the program writes it. */
export function refused(text: string, status: number | null = null): object {
  return { type: 'result', subtype: 'success', is_error: true, api_error_status: status, result: text }
}

/** It waits and retries by itself. */
export function retries(status: number, attempt: number): object {
  return {
    type: 'system',
    subtype: 'api_retry',
    attempt,
    max_retries: 10,
    retry_delay_ms: 12_000,
    error_status: status,
  }
}

/** At its usage limit, which resets in this many seconds. */
export function limited(seconds: number): Trouble {
  return { lines: [refused(`Claude AI usage limit reached|{in ${seconds} seconds}`, 429)], ends: 1 }
}
