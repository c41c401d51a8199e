import type { Loop } from '../../core/loop.ts'
import type { Task } from '../../core/task.ts'
import type { Ports } from '../ports.ts'

/** A review or an improvement can't be understood without the task whose work it is about. */
export async function taskItIsFor(loop: Loop, ports: Ports): Promise<{ id: number; task: Task } | null> {
  if (loop.task.of === null) return null
  const other = await ports.archive.loop(loop.task.of)
  // A review task of an implementation: what was asked for is said by the first of the chain.
  if (other?.task.type === 'review' && other.task.of !== null) return taskItIsFor(other, ports)
  return other && { id: other.id, task: other.task }
}
