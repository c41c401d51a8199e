/** The terminal's own bell. It carries no text; that is on the screen already. */
import type { Notifier } from './notifier.ts'

export interface BellTerminal {
  isTTY?: boolean
  write(text: string): unknown
}

/** Where nobody sits at a terminal there is nothing to ring, and a BEL in a log file would help nobody. */
export function bellNotifier(terminal: BellTerminal = process.stderr): Notifier {
  return {
    name: 'bell',
    async send() {
      if (terminal.isTTY) terminal.write('\u0007')
      return { kind: 'delivered' }
    },
  }
}
