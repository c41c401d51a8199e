/** A person's own steps: one review, one developer session, or the merge into the base. They run now, in the foreground. */
import { UserError } from '../../core/errors.ts'
import type { Loop } from '../../core/loop.ts'
import type { Move } from '../../core/person/move.ts'
import { isOnlyGathered } from '../../core/standing.ts'
import { checkMerges } from '../../moves/check-merges.ts'
import { mergeByHand, stepByHand } from '../../moves/step-by-hand.ts'
import { readText } from '../arguments.ts'
import { exitCodes } from '../exit-codes.ts'
import type { Invocation } from '../invocation.ts'
import { findLoop } from '../with-store.ts'
import { exitCodeFor, type Foreground, withEngine } from './with-engine.ts'

interface ByHandFlags {
  plain?: boolean
  json?: boolean
}

export function review(
  id: number,
  flags: ByHandFlags & { why?: string },
  invocation: Invocation,
): Promise<number> {
  return withEngine(invocation, flags, async (foreground) => {
    const { task } = await findLoop(id, foreground.store)
    // Throws if no reviewer is configured, before anything changes.
    foreground.engine.ports.settings.cast('reviewer', task)
    return conclude([await take(id, { kind: 'review', why: flags.why ?? null }, foreground)], foreground)
  })
}

export function improve(
  id: number,
  flags: ByHandFlags & { note?: string; review?: string | true },
  invocation: Invocation,
): Promise<number> {
  return withEngine(invocation, flags, async (foreground) => {
    const loop = await findLoop(id, foreground.store)
    const note = flags.note?.trim() ?? null
    if (note === '') throw new UserError('The note is empty.', 'Say what the developer should do.')
    if (flags.review === true && !loop.review.last)
      throw new UserError(`Task ${id} has no review yet.`, `umpire review ${id} reviews it.`)
    const text = typeof flags.review === 'string' ? await readReview(flags.review, invocation) : null
    foreground.engine.ports.settings.cast('developer', loop.task)
    return conclude([await take(id, { kind: 'improve', note, text }, foreground)], foreground)
  })
}

export function mergeTasks(
  ids: number[],
  flags: ByHandFlags & { why?: string },
  invocation: Invocation,
): Promise<number> {
  return withEngine(invocation, flags, async (foreground) => {
    const { store, repository, screen, interruption } = foreground
    const move = { kind: 'merge', why: flags.why ?? null } as const
    const wanted: Loop[] = []
    for (const id of new Set(ids)) {
      const loop = await findLoop(id, store)
      if (loop.landing.landed && !isOnlyGathered(loop))
        screen.say(`Task ${id} is already in ${loop.landing.landed.base}.`)
      else wanted.push(loop)
    }
    const named = wanted.map(({ id }) => id)
    await checkMerges(wanted, named, move, store, repository)
    for (const {
      id,
      landing: { approval },
      review: { last },
    } of wanted) {
      const unreviewed = last ? 'is not approved in its current state' : 'was never reviewed'
      if (!approval) screen.say(`Task ${id} ${unreviewed}. It is merged because you asked for it.`)
    }
    return conclude(await mergeByHand(wanted, move, foreground, interruption.signal), foreground)
  })
}

async function readReview(path: string, invocation: Invocation): Promise<string> {
  const text = await readText(path, invocation)
  if (text.trim() === '') throw new UserError(`${path} is empty.`, 'Give a file that says what to change.')
  // A program's argument cannot contain a NUL character.
  if (text.includes('\0')) throw new UserError(`${path} contains a NUL character.`, 'Give a text file.')
  return text
}

function take(id: number, move: Move, foreground: Foreground): Promise<Loop> {
  return stepByHand(id, move, foreground, foreground.interruption.signal)
}

function conclude(moved: Loop[], { screen, interruption }: Foreground): number {
  screen.conclude(moved, [], 'a step by hand')
  // A task that was cancelled meanwhile was not done.
  const cancelled = moved.filter((loop) => loop.standing.status === 'cancelled').length
  return interruption.code() ?? (moved.length === 0 ? exitCodes.done : exitCodeFor(moved, cancelled))
}
