/**
 * The channel between a session's tools and the Umpire process that attends the session. It uses files, because the
 * tools may be confined to the attempt's folder, and because a later Umpire then finds what was asked while none was
 * running:
 *
 *   requests/<n>   written by the tools, numbered from 1        answers/<n>   written by Umpire
 *
 * Both folders exist from the start.
 */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { mostToolRequests } from '../core/policy/fixed-limits.ts'
import { readRegular } from '../lib/file/read-regular.ts'
import { watchFolder } from '../lib/file/watch-folder.ts'
import { createAtomically, writeAtomically } from '../lib/file/write-atomically.ts'
import type { HandIn, ToolAsk } from './attempt.ts'
import { attemptFolder, isMissing, namesIn } from './folder.ts'
import { parseHandIn } from './hand-in.ts'

/** How often to check the folders when no change is reported. */
const pollMs = 1000

/** No real request is nearly as long. */
const longestRequest = 64_000

/** No real answer is nearly as long. It contains the ends of gate outputs. */
const longestAnswer = 16 * 1024 * 1024

/**
 * Writes a request under the next free number and returns the number. Null if the session has used up all numbers that
 * Umpire would read. Throws if there is no such attempt.
 */
export async function ask(root: string, id: string, request: HandIn): Promise<number | null> {
  const folder = attemptFolder(root, id)
  for (;;) {
    const number = 1 + Math.max(0, ...(await numbersIn(folder.requests)))
    if (number > mostToolRequests) return null
    // Two tools may ask at the same moment, and only one gets the number.
    if ((await createAtomically(join(folder.requests, `${number}`), JSON.stringify(request))) === 'created')
      return number
  }
}

/** Waits for the answer. Null if the signal aborts or the attempt ends first. */
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

/** All requests so far, oldest first. */
export async function readRequests(root: string, id: string): Promise<ToolAsk[]> {
  const folder = attemptFolder(root, id)
  const found: ToolAsk[] = []
  for (const number of await numbersIn(folder.requests)) {
    const text = await readRegular(join(folder.requests, `${number}`), longestRequest)
    const request = parseHandIn(text ?? '')
    if (request) found.push({ number, ...request })
  }
  return found
}

/** Implements `Attempts.asked`. */
export async function* followRequests(
  root: string,
  id: string,
  signal: AbortSignal,
): AsyncGenerator<ToolAsk> {
  const folder = attemptFolder(root, id)
  const changes = watchFolder(folder.requests, '')
  const given = new Set<number>()
  try {
    for (;;) {
      const isLast = signal.aborted
      const answered = await numbersIn(folder.answers)
      const isNew = (number: number) => !given.has(number) && !answered.includes(number)
      // List the numbers first, because reading all requests again each time would be expensive.
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

/** If the attempt's folder is gone, no tool waits for the answer any more. */
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
    .filter((number) => number <= mostToolRequests)
    .sort((one, other) => one - other)
}
