/**
 * Stops and removes what a worker left behind when it died between an append and the action after it: gates and setup
 * commands that run until their limit, a git process with a slow hook, folders of sessions whose end is recorded, clones.
 */
import { type Loop, runningSessions } from '../../core/loop.ts'
import { isWriter } from '../../core/session/session.ts'
import type { Ports } from '../ports.ts'

/** Removes all leftovers of a loop that was just claimed, except what its current session needs. */
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
  // A running agent may be using git there. Its leftovers are removed when it has ended.
  if (place && !(session && isWriter(session.role))) await ports.vcs.recover(place)
}

/**
 * Removes leftovers of tasks that no worker will claim again, because their worker, or the process that cancelled them,
 * died too early. While loops run, each cleans up only after its own task, so that no two remove the same things.
 */
export async function clearEnded(ports: Ports, only?: number): Promise<void> {
  // List the folders first. Folders that are made later belong to workers that claim the task later.
  const names = (await listNames(ports)).filter((name) => only === undefined || taskOf(name) === only)
  for (const id of new Set(names.map(taskOf))) {
    const loop = id === null ? null : await ports.archive.loop(id)
    if (!loop || loop.standing.status === 'in_progress') continue
    // If git or the disk failed, the end of a session may not be collected yet. It was paid for, so it is kept for the retry.
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
