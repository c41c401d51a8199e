import { exitCodes } from '../exit-codes.ts'
import type { Interruption } from '../invocation.ts'

/** Ctrl-C and SIGTERM stop the agents and save the state. A second signal quits immediately. */
export function listenForSignals(): Interruption {
  const controller = new AbortController()
  let received: number | null = null
  const on = (code: number) => () => {
    if (received !== null) process.exit(code)
    received = code
    controller.abort()
  }
  const onInterrupt = on(exitCodes.interrupted)
  const onTerminate = on(exitCodes.terminated)
  process.on('SIGINT', onInterrupt)
  process.on('SIGTERM', onTerminate)
  return {
    signal: controller.signal,
    code: () => received,
    stop() {
      process.off('SIGINT', onInterrupt)
      process.off('SIGTERM', onTerminate)
    },
  }
}
