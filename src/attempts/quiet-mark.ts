/**
 * The mark that is put into an attempt's folder right before it is ended for being quiet. If whoever did that dies
 * before it has recorded it, the result says only that the agent was killed; by the mark the next one knows why.
 */
import { stat } from 'node:fs/promises'
import { writeAtomically } from '../lib/file/write-atomically.ts'
import { type AttemptFolder, isMissing, type Result } from './folder.ts'

/**
 * The end of even a stubborn tree takes no longer. An agent that lives on after this time was never told to end, and
 * has perhaps gone back to work; the mark then says nothing about it any more.
 */
const validMs = 15_000

/** When it was made, in milliseconds. */
export type QuietMark = number

export async function markQuiet(folder: AttemptFolder): Promise<void> {
  await writeAtomically(folder.quiet, '')
}

export async function readQuietMark(folder: AttemptFolder): Promise<QuietMark | null> {
  try {
    return Math.floor((await stat(folder.quiet)).mtimeMs)
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

/** Whether the attempt is still to be ended for this mark. */
export function isInForce(mark: QuietMark | null): boolean {
  return mark !== null && Date.now() - mark < validMs
}

/** Whether it is for this mark that the attempt has ended, and not by itself before or after. */
export function explains(mark: QuietMark | null, result: Result): boolean {
  if (mark === null || result.overdue || precedes(result, mark)) return false
  return Date.parse(result.endedAt) - mark < validMs
}

export function precedes({ endedAt }: Result, mark: QuietMark | null): boolean {
  return mark !== null && Date.parse(endedAt) < mark
}
