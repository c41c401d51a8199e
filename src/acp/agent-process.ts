/** The ACP agent as a process: what it printed last on standard error, how it ended, and ending it. */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { splitLines } from '../lib/text/split-lines.ts'
import type { AcpLaunch } from './launch.ts'

export interface AgentProcess {
  stdin: Writable
  stdout: Readable
  /** Resolves when it is not there any more. */
  readonly gone: Promise<Departure>
  /** Closes its standard input, and ends it if it does not take that as the end. */
  end(patienceMs: number): Promise<void>
}

export interface Departure {
  why: string
  retry: 'never' | null
}

const keptErrors = 5
const longestError = 16_384
const graceMs = 400

export function startAgent({ command: [program, ...args], cwd }: AcpLaunch): AgentProcess {
  const child: ChildProcessByStdio<Writable, Readable, Readable> = spawn(program, args, {
    cwd,
    // Some take the variable's word for it and not the system's.
    env: { ...process.env, PWD: cwd },
    stdio: ['pipe', 'pipe', 'pipe'],
    // A group of its own, so that a launcher and what it launched can be ended together.
    detached: true,
  })
  const errors = keepErrors(child.stderr)
  // It may end before it has read what it is told; that it ended is the news, not the broken pipe.
  child.stdin.on('error', () => {})
  const gone = new Promise<Departure>((done) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      const why =
        error.code === 'ENOENT'
          ? `${program} is not installed: there is no such program.`
          : `${error.message}.`
      done({ why, retry: 'never' })
    })
    // Not `close`: what it left behind may hold its pipes for ever. What it said last is still on its way.
    child.once('exit', async (code, signal) => {
      await Promise.race([errors.ended, sleep(200, undefined, { ref: false })])
      const how = signal ? `was ended by ${signal}` : `ended with exit code ${code}`
      const said = errors.last()
      done({ why: `${program} ${how}${said === '' ? '.' : `: ${said}`}`, retry: null })
    })
  })
  const isGone = () => child.exitCode !== null || child.signalCode !== null || child.pid === undefined
  return {
    stdin: child.stdin,
    stdout: child.stdout,
    gone,
    async end(patienceMs) {
      child.stdin.end()
      for (const [waitMs, signal] of [
        [patienceMs, 'SIGTERM'],
        [graceMs, 'SIGKILL'],
      ] as const) {
        await Promise.race([gone, sleep(waitMs)])
        if (isGone()) return
        endGroup(child.pid, signal)
      }
      await gone
    },
  }
}

function endGroup(leader: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (leader !== undefined) process.kill(-leader, signal)
  } catch {
    // It has just ended by itself.
  }
}

/** Hands standard error on as it comes, and remembers its last lines. */
function keepErrors(stderr: Readable): { last(): string; ended: Promise<void> } {
  let kept: string[] = []
  const splitter = splitLines(longestError)
  const add = (lines: ReturnType<typeof splitter.push>) => {
    const words = lines.flatMap(({ part, bytes }) =>
      part === 'whole' || part === 'head' ? [bytes.toString('utf8').trim()] : [],
    )
    kept = [...kept, ...words.filter((word) => word !== '')].slice(-keptErrors)
  }
  stderr.on('data', (chunk: Buffer) => {
    process.stderr.write(chunk)
    add(splitter.push(chunk))
  })
  const ended = new Promise<void>((done) => {
    stderr.once('end', () => {
      add(splitter.finish())
      done()
    })
  })
  return { last: () => kept.join(' / '), ended }
}
