/** Finds unapproved work of other tasks that the base would get together with a loop's work. */
import type { Loop } from '../../core/loop.ts'
import type { BuiltOn, CarriedWork } from '../../core/place.ts'
import { doubtCarried } from '../../core/schedule/carried-work.ts'
import type { Archive } from '../../store/archive.ts'
import type { Vcs } from '../../vcs/vcs.ts'
import { placeOf } from '../place-of.ts'

export interface CarriedBooks {
  archive: Archive
  vcs: Vcs
}

export async function findUnapproved(loop: Loop, books: CarriedBooks): Promise<CarriedWork[]> {
  const found: CarriedWork[] = []
  for (const { work, other } of await findCarried(loop, books)) {
    const doubt = doubtCarried(other, work)
    if (doubt) found.push({ ...work, doubt })
  }
  return found.sort((one, two) => one.task - two.task)
}

interface Carried {
  work: BuiltOn
  other: Loop | null
}

async function findCarried(loop: Loop, { archive, vcs }: CarriedBooks): Promise<Carried[]> {
  const { head } = loop.work
  const known = await listBuiltOn(loop, archive)
  // The branch of a group may have been merged in at any time. Once it has a task's work, that work never changes.
  const gathered = (await archive.tasks()).flatMap(({ id, target, landed }) =>
    target === null || landed === null || id === loop.id ? [] : [{ id, landed }],
  )
  if (!head || known.length + gathered.length === 0) return []
  const commits = [...known.map(({ work }) => work.sha), ...gathered.map(({ landed }) => landed)]
  const { base } = placeOf(loop)
  const brought = new Set(await vcs.broughtBy(head.sha, base, commits))
  const carried = known.filter(({ work }) => brought.has(work.sha))
  for (const { id, landed } of gathered) {
    if (!brought.has(landed) || carried.some(({ work }) => work.task === id)) continue
    const other = await archive.loop(id)
    if (!other?.work.head) continue
    const work = { task: id, sha: other.work.head.sha }
    // The base may have received it in another way.
    if ((await vcs.broughtBy(head.sha, base, [work.sha])).length > 0) carried.push({ work, other })
  }
  // The review of an improvement covers all work that it improves.
  const judged = new Set([loop.task.of, ...carried.map(({ other }) => other?.task.of ?? null)])
  return carried.filter(({ work }) => !judged.has(work.task))
}

/** The work that it started with, and the work that this work started with. */
async function listBuiltOn(loop: Loop, archive: Archive): Promise<Carried[]> {
  const found = new Map<string, Carried>()
  const edge: Loop[] = [loop]
  for (const each of edge) {
    for (const work of each.work.place?.builtOn ?? []) {
      const name = `${work.task} ${work.sha}`
      if (found.has(name)) continue
      const other = await archive.loop(work.task)
      found.set(name, { work, other })
      if (other) edge.push(other)
    }
  }
  return [...found.values()]
}
