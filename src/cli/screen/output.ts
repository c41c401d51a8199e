import { createPaint, noPaint, type Paint, wantsColours } from '../../lib/text/paint.ts'
import { harmlessJson } from '../../lib/text/printable.ts'
import type { Invocation } from '../invocation.ts'

/** Writes a line to standard output. Text from outside must go through `printable` before it gets here. */
export function print(text: string, { stdout }: Invocation): void {
  stdout.write(`${text}\n`)
}

export function printJson(value: unknown, invocation: Invocation): void {
  print(harmlessJson(JSON.stringify(value, null, 2)), invocation)
}

/** Writes one object per line, for programs that read the output as it arrives. */
export function printJsonLine(value: unknown, invocation: Invocation): void {
  print(harmlessJson(JSON.stringify(value)), invocation)
}

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
