/** How this process may write to its standard output. */
import { createPaint, noPaint, type Paint, wantsColours } from '../../lib/text/paint.ts'

export function outputPaint({ plain = false } = {}): Paint {
  return plain ? noPaint : createPaint(wantsColours(process.stdout, process.env))
}

/** Whether lines can be drawn again in place. */
export function isLive(): boolean {
  return Boolean(process.stdout.isTTY) && process.env.TERM !== 'dumb'
}

/** Where there is no terminal nobody's line ends, but what is said in one line should stay short. */
const withoutTerminal = 200

export function outputColumns(): number {
  return process.stdout.isTTY ? (process.stdout.columns || 80) - 1 : withoutTerminal
}

/** The same where a line that is too long would be broken anywhere; null where it is not broken at all. */
export function outputWidth(): number | null {
  return process.stdout.isTTY ? outputColumns() : null
}
