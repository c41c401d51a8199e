/**
 * Removes the branch, the worktree and the long transcript lines of tasks that are merged or cancelled. Everything else
 * is kept and listed with the reason, such as a task that is in progress or waits for a person.
 */
import { createBooks } from '../app/books.ts'
import { removeLongLines } from '../app/long-lines.ts'
import { openVcs, type Repository } from '../app/repository.ts'
import type { Loop } from '../core/loop.ts'
import { isOnlyGathered } from '../core/standing.ts'
import { summarise, type TaskSummary } from '../core/summary.ts'
import { noticeLanded } from '../loop/run/landed-work.ts'
import type { Store } from '../store/store.ts'
import type { RemovedWork } from '../vcs/landings.ts'
import type { Vcs } from '../vcs/vcs.ts'

export interface Cleaned {
  /** Null for the branch of a group. */
  task: TaskSummary | null
  branch: string
  result: RemovedWork
}

/** Returns one entry for each task that has, or had, a branch or a worktree. Tasks that never started have none. */
export async function cleanUp(store: Store, repository: Repository): Promise<Cleaned[]> {
  const vcs = await openVcs(repository)
  const { archive, journal } = store
  await noticeLanded(await archive.standings(), { ...createBooks(store, repository), vcs })
  const cleaned: Cleaned[] = []
  const groups = new Map<string, Group>()
  // Deleted tasks are no longer listed, but their branches and worktrees still exist.
  const end = await journal.nextId('task')
  for (let id = 1; id < end; id++) {
    const loop = await archive.loop(id)
    if (!loop?.work.place) continue
    const { branch, target, base } = loop.work.place
    if (target !== undefined) groups.set(target, { base, number: loop.task.group })
    const result = await removeWork(loop, vcs)
    if (result.kind === 'absent') continue
    if (result.kind === 'removed') await removeLongLines(repository.home, loop.id)
    cleaned.push({ task: summarise(loop), branch, result })
  }
  const tasks = await archive.tasks()
  for (const [branch, group] of groups) {
    const result = await removeGroup(branch, group, tasks, vcs)
    if (result.kind !== 'absent') cleaned.push({ task: null, branch, result })
  }
  return cleaned
}

async function removeWork(loop: Loop, vcs: Vcs): Promise<RemovedWork> {
  const { place, head } = loop.work
  const { status } = loop.standing
  if (!place) return { kind: 'absent' }
  if (status === 'cancelled') return vcs.removeWork(place, 'cancelled')
  if (status !== 'completed') return { kind: 'kept', why: `it is ${status}` }
  // Work that is only on the branch of its group is not merged yet.
  const landed = loop.landing.landed !== null && !isOnlyGathered(loop)
  const merged = landed || (head !== null && (await vcs.isMerged(place, head.sha)))
  if (merged) return vcs.removeWork(place, 'merged')
  return { kind: 'kept', why: `it is not merged into ${place.base} (umpire merge ${loop.id})` }
}

interface Group {
  base: string
  number: number | null
}

/** Keeps the branch of a group while a task of the group may still be merged into it. */
async function removeGroup(
  branch: string,
  { base, number }: Group,
  tasks: TaskSummary[],
  vcs: Vcs,
): Promise<RemovedWork> {
  const open = tasks.find(
    ({ group, target, status, landed }) =>
      (group === number || target === branch) &&
      status !== 'cancelled' &&
      (status !== 'completed' || (target === branch && landed === null)),
  )
  if (!open) return vcs.removeGroup(branch, base)
  // A group without a branch needs no line.
  if ((await vcs.branchHead(branch)) === null) return { kind: 'absent' }
  return { kind: 'kept', why: `task ${open.id} of the group is ${open.status}` }
}
