import { readFile } from 'node:fs/promises'
import { text as readAll } from 'node:stream/consumers'
import { UserError } from '../core/errors.ts'

/** A file that was named on the command line; `-` is standard input. */
export async function readText(path: string): Promise<string> {
  if (path === '-') return readAll(process.stdin)
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? error.code : error
    throw new UserError(
      `${path} can't be read (${why}).`,
      'Give a file that exists, or - for standard input.',
    )
  }
}
