#!/usr/bin/env node
import { exitCodes } from './cli/exit-codes.ts'
import { runCli } from './cli/run-cli.ts'
import { listenForSignals } from './cli/work/listen-for-signals.ts'

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
