/** Runs one command and returns its exit code. Every error becomes one or two lines: what is wrong, and what to do. */
import { CommanderError } from 'commander'
import { PersonNeededError, StoreError, UserError } from '../core/errors.ts'
import { printable } from '../lib/text/printable.ts'
import { exitCodes } from './exit-codes.ts'
import type { Invocation } from './invocation.ts'
import { createProgram } from './program.ts'

export async function runCli(invocation: Invocation): Promise<number> {
  let code: number = exitCodes.done
  const program = createProgram(invocation, (result) => {
    code = result
  })
  try {
    await program.parseAsync(invocation.args, { from: 'user' })
    return code
  } catch (error) {
    return report(error, invocation)
  }
}

function report(error: unknown, { args, stderr }: Invocation): number {
  const verbose = args.includes('--verbose')
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage
  if (error instanceof UserError) {
    stderr.write(`umpire: ${printable(error.message)}\n${error.fix ? `${printable(error.fix)}\n` : ''}`)
    if (error instanceof PersonNeededError) return exitCodes.personNeeded
    return error instanceof StoreError ? exitCodes.failed : exitCodes.usage
  }
  const message = error instanceof Error ? error.message : String(error)
  const code = error instanceof Error && 'code' in error ? error.code : null
  const disk = typeof code === 'string' ? diskTroubles.get(code) : undefined
  if (disk && !verbose) {
    stderr.write(`umpire: ${disk[0]} (${printable(message)}).\n${disk[1]}\n`)
    return exitCodes.failed
  }
  stderr.write(`umpire: ${printable(message)}\n`)
  stderr.write(
    verbose && error instanceof Error
      ? `${printable(error.stack ?? '')}\n`
      : '--verbose shows the stack trace.\n',
  )
  return exitCodes.failed
}

/** Errors of the file system that can happen anywhere. Everything recorded before the error is safe. */
const diskTroubles = new Map([
  ['ENOSPC', ['The disk is full', 'Free some space, then try again. Everything recorded so far is safe.']],
  [
    'EDQUOT',
    ['The disk quota is used up', 'Free some space, then try again. Everything recorded so far is safe.'],
  ],
  ['EACCES', ['Permission was denied', 'Give yourself access to that path, then try again.']],
  [
    'EROFS',
    ['The file system is read-only', 'Make it writable, then try again. Everything recorded so far is safe.'],
  ],
])
