/** The ACP agent as a process: its last lines on standard error, how it ended, and how to stop it. */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { splitLines } from '../lib/text/split-lines.ts'
import type { AcpLaunch } from './client-protocol.ts'

export interface AgentProcess {
  stdin: Writable
  stdout: Readable
  /** Resolves when the process is gone. */
  readonly gone: Promise<Departure>
  /** Closes its standard input, and kills it if that does not make it exit. */
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
    // Some agents trust this variable instead of asking the system.
    env: { ...process.env, PWD: cwd },
    stdio: ['pipe', 'pipe', 'pipe'],
    // Its own process group, so that a launcher and what it started can be stopped together.
    detached: true,
  })
  const errors = keepErrors(child.stderr)
  // The agent may exit before it has read its input. The exit is reported, so the broken pipe need not be.
  child.stdin.on('error', () => {})
  const gone = new Promise<Departure>((done) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'ENOENT' ? `${program} is not installed.` : `${error.message}.`
      done({ why, retry: 'never' })
    })
    // Not `close`: processes that it left behind may keep its pipes open forever. Its last output is still on its way.
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
    // It has just exited by itself.
  }
}

/** Passes standard error on as it comes, and remembers its last lines. */
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
