/** Starts and follows attempts for their contract suite, and stops whatever a test started. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, vi } from 'vitest'
import type { AttemptSpec, Attempts, HandIn, OutputLine, Watch } from '../../src/attempts/attempt.ts'
import { identify } from '../../src/lib/process/process-identity.ts'

export interface AttemptsUnderTest {
  attempts: Attempts
  /** What an agent's `umpire submit` does. */
  handIn(id: string, given: HandIn): Promise<'accepted' | 'already-handed-in' | 'contradicted'>
  /** What the tools of an agent's session do. */
  ask(id: string, request: HandIn): Promise<number | null>
  awaitAnswer(id: string, number: number, signal: AbortSignal): Promise<string | null>
  /** What the guard in an agent's session does. */
  noteRefusal(id: string, text: string): Promise<void>
}

type Argv = AttemptSpec['argv']
type More = Partial<AttemptSpec>

export const fixture = (name: string) => resolve(import.meta.dirname, '../fixtures/agents', name)
export const never = new AbortController().signal
export const exited = (code: number) => ({
  kind: 'exited',
  code,
  overdue: false,
  endedAt: expect.any(String),
})

/** Call this inside a `describe`. */
export function useAttempts(open: (folder: string) => AttemptsUnderTest) {
  const started = new Set<string>()
  let folder = ''
  let under: AttemptsUnderTest | null = null

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'umpire-attempts-'))
    under = open(folder)
  })
  afterEach(async () => {
    for (const id of started) await opened().attempts.kill(id)
    started.clear()
    await rm(folder, { recursive: true, force: true })
  })

  function opened(): AttemptsUnderTest {
    if (under === null) throw new Error('only inside a test')
    return under
  }

  async function start(argv: Argv, more: More = {}): Promise<string> {
    const id = more.id ?? `a-${started.size + 1}`
    started.add(id)
    const env = { PATH: process.env.PATH ?? '' }
    await opened().attempts.start({ id, argv, cwd: folder, env, stdin: '', limitMs: 3_600_000, ...more })
    return id
  }

  async function follow(id: string, more: Partial<Watch> = {}, signal = never) {
    const lines: Record<'stdout' | 'stderr', OutputLine[]> = { stdout: [], stderr: [] }
    const onLines: Watch['onLines'] = async (source, batch) => {
      lines[source].push(...batch)
    }
    const end = await opened().attempts.follow(id, { idleMs: null, onLines, ...more }, signal)
    const texts = (source: 'stdout' | 'stderr') => lines[source].map((line) => line.text)
    return { end, stdout: texts('stdout'), stderr: texts('stderr'), lines }
  }

  const run = async (argv: Argv, more: More = {}) => await follow(await start(argv, more))
  const shell = (script: string, more: More = {}) => start(['sh', '-c', script], more)
  const runShell = async (script: string, more: More = {}) => await follow(await shell(script, more))

  return { opened, folder: () => folder, start, follow, run, shell, runShell }
}

export const allGone = (pids: number[]) =>
  vi.waitFor(() => expect(pids.map((pid) => identify(pid))).toEqual(pids.map(() => null)), 120_000)
