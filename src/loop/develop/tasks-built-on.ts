import type { Loop } from '../../core/loop.ts'
import type { Ports } from '../ports.ts'
import { hasWork } from './start-parts.ts'

/** The tasks whose approved work is in the tree that this one began with, because it depends on them or waited for them. */
export async function tasksBuiltOn(loop: Loop, ports: Ports): Promise<{ id: number; title: string }[]> {
  const found: { id: number; title: string }[] = []
  const { task, place, waitedBehind } = loop
  // What it waited for may have been approved only after it began; that is on record, and what it depends on is always in.
  const waitedFor = waitedBehind.filter((id) => place?.builtOn?.some((other) => other.task === id))
  const all = [...new Set([...task.dependsOn, ...waitedFor])]
  // What such a task begins with is the work of the one that it is for.
  for (const id of task.of === null ? all : []) {
    const other = await ports.archive.loop(id)
    if (other && hasWork(other)) found.push({ id, title: other.task.title })
  }
  return found
}
