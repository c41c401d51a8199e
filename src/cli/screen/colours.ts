/** How a call of the command may write to its standard output. */
import { createPaint, noPaint, type Paint, wantsColours } from '../../lib/text/paint.ts'
import type { Invocation } from '../invocation.ts'

export function outputPaint({ stdout, env }: Invocation, { plain = false } = {}): Paint {
  return plain ? noPaint : createPaint(wantsColours(stdout, env))
}

/** Whether lines can be drawn again in place. */
export function isLive({ stdout, env }: Invocation): boolean {
  return Boolean(stdout.isTTY) && env.TERM !== 'dumb'
}

/** The width without a terminal. Nothing would wrap there, but one-line texts should stay short. */
const withoutTerminal = 200

export function outputColumns({ stdout }: Invocation): number {
  return stdout.isTTY ? (stdout.columns || 80) - 1 : withoutTerminal
}

/** The width at which a terminal would break a line; null without a terminal, where lines are not broken. */
export function outputWidth(invocation: Invocation): number | null {
  return invocation.stdout.isTTY ? outputColumns(invocation) : null
}
