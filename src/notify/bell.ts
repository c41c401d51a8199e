/** The terminal bell. It carries no text, because the text is already on the screen. */
import type { Notifier } from './notifier.ts'

export interface BellTerminal {
  isTTY?: boolean
  write(text: string): unknown
}

/** Rings only on a terminal. A BEL character in a log file would be useless. */
export function bellNotifier(terminal: BellTerminal): Notifier {
  return {
    name: 'bell',
    async send() {
      if (terminal.isTTY) terminal.write('\u0007')
      return { kind: 'delivered' }
    },
  }
}
