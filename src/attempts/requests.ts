/**
 * The way from the tools of a session to whoever attends it, and back. Files, because the tools may be confined to the
 * attempt's folder, and because what was asked while no Umpire was there is then found by the one that comes:
 *
 *   requests/<n>   written by the tools, numbered from 1        answers/<n>   written by whoever attends
 *
 * Both folders are there from the start.
 */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { mostRequests } from '../core/session/tool-request.ts'
import { readRegular } from '../lib/file/read-regular.ts'
import { watchFolder } from '../lib/file/watch-folder.ts'
import { createAtomically, writeAtomically } from '../lib/file/write-atomically.ts'
import type { Asked, HandIn } from './attempt.ts'
import { attemptFolder, isMissing, namesIn } from './folder.ts'
import { parseHandIn } from './hand-in.ts'

/** How often the folders are looked at when no change is reported. */
const pollMs = 1000

/** No request of ours is nearly as long. */
const longestRequest = 64_000

/** Nor an answer, which holds the ends of what gates printed. */
const longestAnswer = 16 * 1024 * 1024

/**
 * Puts a request under the next free number, which is given back; null when there is none left that would be looked at.
 * Throws when there is no such attempt.
 */
export async function ask(root: string, id: string, request: HandIn): Promise<number | null> {
  const folder = attemptFolder(root, id)
  for (;;) {
    const number = 1 + Math.max(0, ...(await numbersIn(folder.requests)))
    if (number > mostRequests) return null
    // Of two that ask in the same moment one is second.
    if ((await createAtomically(join(folder.requests, `${number}`), JSON.stringify(request))) === 'created')
      return number
  }
}

/** The answer as soon as it is there. Null when the signal aborts, or when the attempt has ended first. */
export async function awaitAnswer(
  root: string,
  id: string,
  number: number,
  signal: AbortSignal,
): Promise<string | null> {
  const folder = attemptFolder(root, id)
  const path = join(folder.answers, `${number}`)
  const changes = watchFolder(folder.answers, `${number}`)
  try {
    for (;;) {
      const answer = await readRegular(path, longestAnswer)
      if (answer !== null) return answer
      const isOver = await stat(folder.requests).then(
        () => false,
        () => true,
      )
      if (signal.aborted || isOver) return null
      await changes.wait(pollMs, signal)
    }
  } finally {
    changes.close()
  }
}

/** Everything that was asked so far, oldest first. */
export async function readRequests(root: string, id: string): Promise<Asked[]> {
  const folder = attemptFolder(root, id)
  const found: Asked[] = []
  for (const number of await numbersIn(folder.requests)) {
    const text = await readRegular(join(folder.requests, `${number}`), longestRequest)
    const request = parseHandIn(text ?? '')
    if (request) found.push({ number, ...request })
  }
  return found
}

/** As `Attempts.asked` says. */
export async function* followRequests(root: string, id: string, signal: AbortSignal): AsyncGenerator<Asked> {
  const folder = attemptFolder(root, id)
  const changes = watchFolder(folder.requests, '')
  const given = new Set<number>()
  try {
    for (;;) {
      const isLast = signal.aborted
      const answered = await numbersIn(folder.answers)
      const isNew = (number: number) => !given.has(number) && !answered.includes(number)
      // Looked at first, because to read them all again each time would have its price.
      const numbers = (await numbersIn(folder.requests)).filter(isNew)
      for (const request of numbers.length === 0 ? [] : await readRequests(root, id)) {
        if (!isNew(request.number)) continue
        given.add(request.number)
        yield request
      }
      if (isLast) return
      await changes.wait(pollMs, signal)
    }
  } finally {
    changes.close()
  }
}

/** An attempt whose folder is gone has nobody left who waits for it. */
export async function answerRequest(root: string, id: string, number: number, text: string): Promise<void> {
  try {
    await writeAtomically(join(attemptFolder(root, id).answers, `${number}`), text)
  } catch (error) {
    if (!isMissing(error)) throw error
  }
}

/** The agent can put files of any name there. */
async function numbersIn(folder: string): Promise<number[]> {
  return (await namesIn(folder))
    .filter((name) => /^[1-9]\d{0,5}$/.test(name))
    .map(Number)
    .filter((number) => number <= mostRequests)
    .sort((one, other) => one - other)
}
