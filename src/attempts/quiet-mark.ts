/**
 * The mark in an attempt's folder, written right before Umpire stops the attempt for being quiet. If that Umpire dies
 * before it has recorded the reason, the result says only that the agent was killed. The mark tells the next one why.
 */
import { stat } from 'node:fs/promises'
import { writeAtomically } from '../lib/file/write-atomically.ts'
import { type AttemptFolder, isMissing, type Result } from './folder.ts'

/**
 * Stopping even a stubborn tree takes no longer. An agent that is alive after this time was never told to stop, and may
 * have gone back to work. The mark then says nothing about it.
 */
const validMs = 15_000

/** When the mark was written, in milliseconds. */
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

/** Whether the attempt must still be stopped because of this mark. */
export function isInForce(mark: QuietMark | null): boolean {
  return mark !== null && Date.now() - mark < validMs
}

/** Whether the attempt ended because of this mark, and not by itself before or after. */
export function explains(mark: QuietMark | null, result: Result): boolean {
  if (mark === null || result.overdue || precedes(result, mark)) return false
  return Date.parse(result.endedAt) - mark < validMs
}

export function precedes({ endedAt }: Result, mark: QuietMark | null): boolean {
  return mark !== null && Date.parse(endedAt) < mark
}
