/**
 * Runs the person's own command line. A shell runs it exactly as written in the configuration. The notification comes
 * in the environment and as JSON on standard input, so its text never becomes part of the command.
 */
import { randomBytes } from 'node:crypto'
import { exec } from '../lib/process/exec.ts'
import { endTree } from '../lib/process/process-tree.ts'
import { oneLine } from '../lib/text/printable.ts'
import { type Delivery, failed, type Notification, type Notifier } from './notifier.ts'

export interface CommandOptions {
  command: string
  cwd: string
  env: Record<string, string>
  /** Removes secrets from failure messages. */
  redact: (text: string) => string
  limitMs?: number
}

const defaultLimitMs = 30_000

/** How long the command may take to exit after SIGTERM. */
const graceMs = 500

/** Every process that the command starts inherits this variable, so Umpire can find and end them all. */
const mark = 'UMPIRE_NOTIFICATION'

export function commandNotifier(options: CommandOptions): Notifier {
  const { command, cwd, redact, limitMs = defaultLimitMs } = options
  return {
    name: 'command',
    async send(notification, signal) {
      const value = randomBytes(9).toString('base64url')
      const env = { ...options.env, ...variablesOf(notification), [mark]: value }
      const stdin = `${JSON.stringify(notification)}\n`
      try {
        const ended = await exec(['/bin/sh', '-c', command], { cwd, env, stdin, limitMs, graceMs }, signal)
        if (ended.timedOut) return failed(`it was stopped after ${limitMs / 1000} s`, 'later')
        return deliveryOf(ended.code, redact(ended.stderr))
      } catch (error) {
        if (signal.aborted) return failed('it was stopped before it finished', 'later')
        return failed(error instanceof Error ? error.message : 'it could not be started', 'later')
      } finally {
        // Ends what it left in the background, even in a session of its own.
        await endTree({ name: mark, value }, 0)
      }
    },
  }
}

function variablesOf({ event, task, title, message, next }: Notification): Record<string, string> {
  return {
    UMPIRE_EVENT: event,
    UMPIRE_TASK: task === null ? '' : String(task),
    UMPIRE_TITLE: title,
    UMPIRE_MESSAGE: message,
    UMPIRE_NEXT: next.join('\n'),
  }
}

function deliveryOf(code: number | null, stderr: string): Delivery {
  if (code === 0) return { kind: 'delivered' }
  const how = code === null ? 'it was killed' : `exit code ${code}`
  const said = oneLine(stderr.trim().split('\n').at(-1) ?? '', 160)
  // The shell's exit codes for a program that does not exist (127) or must not be run (126).
  return failed(said === '' ? how : `${how}: ${said}`, code === 126 || code === 127 ? 'never' : 'later')
}
