/**
 * Ends and removes what a worker left behind when it died between an append and what was to follow it: gates and
 * set-ups that go on until their limit, a git with a slow hook, folders of sessions whose end is recorded, clones.
 */
import type { Loop } from '../core/loop.ts'
import type { Ports } from './ports.ts'

/** All that is left of a loop that was just claimed, except what its present session needs. */
export async function clearLeftovers({ id, session, place }: Loop, ports: Ports): Promise<void> {
  const names = await listNames(ports)
  await clear(
    names.filter(
      (name) => taskOf(name) === id && name !== session?.session && name !== session?.reviewed?.clone,
    ),
    ports,
  )
  // A developer that goes on may itself be in the middle of git; it is looked after when it has ended.
  if (place && session?.role !== 'developer') await ports.vcs.recover(place)
}

/** What is left of tasks that nobody will claim again: their worker, or whoever cancelled them, died too early. */
export async function clearEnded(ports: Ports): Promise<void> {
  // Listed first: what is made from now on belongs to whoever claims the task from now on.
  const names = await listNames(ports)
  for (const id of new Set(names.map(taskOf))) {
    const loop = id === null ? null : await ports.archive.loop(id)
    if (!loop || loop.status === 'in_progress') continue
    // A session whose end could not be taken in, because git or the disk failed, was paid for: it waits for the retry.
    const waiting = loop.deleted ? undefined : loop.session?.session
    await clear(
      names.filter((name) => taskOf(name) === id && name !== waiting),
      ports,
    )
  }
}

/** Attempts and checkouts are named after their task: `7-3` a session, `7.12-gate` a command, `7-baseline` a checkout. */
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
