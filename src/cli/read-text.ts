import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { UserError } from '../core/errors.ts'
import type { Invocation } from './invocation.ts'

/** Reads a file that was named on the command line; `-` is standard input. */
export async function readText(path: string, { cwd, stdin }: Invocation): Promise<string> {
  if (path === '-') return readAll(stdin)
  try {
    return await readFile(resolve(cwd, path), 'utf8')
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? error.code : error
    throw new UserError(
      `${path} can't be read (${why}).`,
      'Give a file that exists, or - for standard input.',
    )
  }
}
