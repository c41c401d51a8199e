/**
 * Ends and removes what a worker left behind when it died between an append and what was to follow it: gates and
 * set-ups that go on until their limit, a git with a slow hook, folders of sessions whose end is recorded, clones.
 */

import { type Loop, runningSessions } from '../../core/loop.ts'
import { isWriter } from '../../core/session/session.ts'
import type { Ports } from '../ports.ts'

/** All that is left of a loop that was just claimed, except what its present session needs. */
export async function clearLeftovers(loop: Loop, ports: Ports): Promise<void> {
  const {
    id,
    turn: { session },
    work: { place },
  } = loop
  const names = await listNames(ports)
  const needed = runningSessions(loop).flatMap((each) => [each.session, each.reviewed?.clone])
  await clear(
    names.filter((name) => taskOf(name) === id && !needed.includes(name)),
    ports,
  )
  // Whoever works there may itself be in the middle of git; it is looked after when it has ended.
  if (place && !(session && isWriter(session.role))) await ports.vcs.recover(place)
}

/**
 * What is left of tasks that nobody will claim again: their worker, or whoever cancelled them, died too early. With
 * many loops at once each looks after its own task, lest all of them look at all, and two remove the same.
 */
export async function clearEnded(ports: Ports, only?: number): Promise<void> {
  // Listed first: what is made from now on belongs to whoever claims the task from now on.
  const names = (await listNames(ports)).filter((name) => only === undefined || taskOf(name) === only)
  for (const id of new Set(names.map(taskOf))) {
    const loop = id === null ? null : await ports.archive.loop(id)
    if (!loop || loop.standing.status === 'in_progress') continue
    // A session whose end could not be taken in, because git or the disk failed, was paid for: it waits for the retry.
    const waiting = loop.standing.deleted ? [] : runningSessions(loop).map(({ session }) => session)
    await clear(
      names.filter((name) => taskOf(name) === id && !waiting.includes(name)),
      ports,
    )
  }
}

/** Attempts and checkouts are named after their task: `7-3`, `7-3p2` and `7-c9.5` a session, `7.12-gate` a command, `7-baseline` a checkout. */
async function listNames({ attempts, vcs }: Ports): Promise<string[]> {
  return [...new Set([...(await attempts.list()), ...(await vcs.checkouts())])]
}

function taskOf(name: string): number | null {
  const id = /^([1-9]\d*)[-.]/.exec(name)?.[1]
  return id === undefined ? null : Number(id)
}

async function clear(names: string[], { attempts, vcs }: Ports): Promise<void> {
  for (const name of names) {
    await attempts.kill(name)
    await attempts.remove(name)
    await vcs.removeCheckout(name)
  }
}
