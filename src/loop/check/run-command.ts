/**
 * Runs one of the person's own commands (a gate, a setup command) to its end. It runs as an attempt, so that its time
 * limit applies and no process stays behind, even if Umpire dies.
 */
import type { Ports } from '../ports.ts'

export interface CommandRun {
  id: string
  command: string
  cwd: string
  limitMs: number
}

export interface ProgramRun extends Omit<CommandRun, 'command'> {
  argv: [string, ...string[]]
  /** Replaces the environment that all commands get. */
  env?: Record<string, string>
}

export interface CommandEnd {
  exitCode: number | null
  timedOut: boolean
  output: string
  durationMs: number
}

/** How much of a long output is kept at its beginning, for the first error, and at its end, for the summary. */
const keptAtEachEnd = 32_000

export function runCommand(run: CommandRun, ports: Ports, signal: AbortSignal): Promise<CommandEnd> {
  const { command, ...where } = run
  // Both outputs go to one stream, so that errors stay next to the lines they belong to.
  const argv: [string, ...string[]] = ['/bin/sh', '-c', 'exec 2>&1; exec /bin/sh -c "$1"', 'sh', command]
  return runProgram({ ...where, argv }, ports, signal)
}

/** Does the same for a program with arguments, without a shell. */
export async function runProgram(
  { id, argv, cwd, limitMs, env }: ProgramRun,
  ports: Ports,
  signal: AbortSignal,
): Promise<CommandEnd> {
  const { attempts, settings, clock } = ports
  const began = clock.now().getTime()
  const output = createOutput()
  try {
    await attempts.start({ id, argv, cwd, env: { ...(env ?? settings.env), PWD: cwd }, stdin: '', limitMs })
    const end = await attempts.follow(id, { idleMs: null, onLines: output.add }, signal)
    signal.throwIfAborted()
    return {
      exitCode: end.kind === 'exited' && !end.overdue ? end.code : null,
      timedOut: end.kind === 'exited' && end.overdue,
      output: ports.redact(output.text(end.kind === 'lost' ? 'the command was killed' : null)),
      durationMs: clock.now().getTime() - began,
    }
  } catch (error) {
    await attempts.kill(id)
    throw error
  } finally {
    await attempts.remove(id)
  }
}

/** Unique for each claim of a loop, so that a worker that lost its claim can't end its successor's commands. */
export function commandId(loop: { id: number; version: number }, name: string): string {
  return `${loop.id}.${loop.version}-${name}`
}

function createOutput() {
  let head = ''
  let tail = ''
  let dropped = 0
  return {
    async add(_: 'stdout' | 'stderr', lines: { text: string }[]): Promise<void> {
      for (const { text } of lines) {
        if (head.length < keptAtEachEnd) head += `${text.slice(0, keptAtEachEnd)}\n`
        else tail += `${text}\n`
        if (tail.length > 2 * keptAtEachEnd) {
          dropped += tail.length - keptAtEachEnd
          tail = tail.slice(-keptAtEachEnd)
        }
      }
    },
    text(end: string | null): string {
      const middle = dropped === 0 ? '' : `[… ${dropped} characters left out …]\n`
      return `${head}${middle}${tail}${end === null ? '' : `[${end}]\n`}`
    },
  }
}
