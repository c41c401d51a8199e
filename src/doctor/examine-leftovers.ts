/** What lies in `.umpire` and belongs to nothing that is still going on. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Repository } from '../app/repository.ts'
import { runningSessions } from '../core/loop.ts'
import type { Store } from '../store/store.ts'
import { doubtful, type Finding, fine } from './finding.ts'

export async function examineLeftovers({ home }: Repository, store: Store): Promise<Finding[]> {
  const { archive } = store
  const worktrees = new Set<string>()
  const active = new Set<string>()
  for (const { id } of await archive.tasks()) {
    const loop = await archive.loop(id)
    if (loop?.place) worktrees.add(loop.place.worktree)
    for (const { session, reviewed } of loop ? runningSessions(loop) : []) {
      active.add(session)
      if (reviewed) active.add(reviewed.clone)
    }
    if (loop?.status === 'in_progress') active.add(String(id))
  }
  // `7-3` is a session of task 7, `7.12-gate` a command that its worker runs, `7-baseline` a checkout for one.
  const isActive = (name: string) => {
    const [, task = ''] = /^(\d+)[-.]/.exec(name) ?? []
    return active.has(name) || (!/^\d+-(\d+(p\d+)?|c\d+\.\d+)$/.test(name) && active.has(task))
  }
  const transient = ['attempts', 'clones', 'scratch'].flatMap((folder) =>
    namesIn(join(home, folder))
      .filter((name) => !isActive(name))
      .map((name) => `${folder}/${name}`),
  )
  const forsaken = namesIn(join(home, 'worktrees'))
    .map((name) => `worktrees/${name}`)
    .filter((name) => !worktrees.has(name))
  return [
    transient.length === 0
      ? fine('attempts', 'none without a running session')
      : doubtful(
          'attempts',
          `of no running session: ${listed(transient)}`,
          'The next umpire work takes them away.',
        ),
    forsaken.length === 0
      ? fine('worktrees', 'none without a task')
      : doubtful(
          'worktrees',
          `of no task: ${listed(forsaken)}`,
          `If nothing in it is needed: git worktree remove --force ${join(home, forsaken[0] ?? '')}`,
        ),
  ]
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort()
  } catch {
    return []
  }
}

function listed(names: string[]): string {
  const shown = names.slice(0, 10).join(', ')
  return names.length > 10 ? `${shown} and ${names.length - 10} more` : shown
}
