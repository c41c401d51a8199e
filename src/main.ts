#!/usr/bin/env node
import { exitCodes } from './cli/exit-codes.ts'
import type { Interruption } from './cli/invocation.ts'
import { runCli } from './cli/run-cli.ts'

// A reader that closed early (`umpire log 1 | head`) wants no more; that is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(exitCodes.done)
  throw error
})

process.exitCode = await runCli({
  args: process.argv.slice(2),
  // Asked for when it is needed: the folder may be gone, which not every command minds, and standard input costs time.
  get cwd() {
    return process.cwd()
  },
  get stdin() {
    return process.stdin
  },
  env: process.env,
  stdout: process.stdout,
  stderr: process.stderr,
  listenForSignals,
})

/** Ctrl-C and SIGTERM stop the agents and save the state. A second signal quits immediately. */
function listenForSignals(): Interruption {
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
