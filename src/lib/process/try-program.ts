/** Runs a program only to see whether it works. */
import { tmpdir } from 'node:os'
import { oneLine } from '../text/printable.ts'
import { type ExecResult, exec } from './exec.ts'

/** A program that starts a whole runtime to print its version takes a while on a busy machine. */
const limitMs = 20_000

/** Runs outside the repository, so that the repository's settings don't apply. Null if the program can't be started. */
export async function tryProgram(
  argv: [string, ...string[]],
  env: NodeJS.ProcessEnv,
): Promise<ExecResult | null> {
  return exec(argv, { cwd: env.TMPDIR || tmpdir(), env, limitMs, maxBytes: 64 * 1024 }).catch(() => null)
}

/** Why the program did not do what it should. */
export function reasonOf(ran: ExecResult | null): string {
  if (ran === null) return 'it can’t be started'
  if (ran.timedOut) return `no answer in ${limitMs / 1000} s`
  const words = oneLine(ran.stderr.trim().split('\n').at(-1) ?? '', 120)
  return words || (ran.code === 0 ? 'it printed nothing' : `exit code ${ran.code}`)
}
