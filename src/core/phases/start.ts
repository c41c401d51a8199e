/** How a loop begins: its branch and worktree, and the work of other tasks that it begins with. */
import type { EventData } from '../event.ts'
import { type Change, changes, type Loop } from '../loop.ts'
import type { Inherited } from '../place.ts'
import { begunUnmerged } from './resolve.ts'

export function started(loop: Loop, { place, inherited, unmerged }: EventData['loop.started']): Change {
  const beginning = begunWith(loop, inherited)
  return changes({ work: { place } }, beginning, begunUnmerged(unmerged, beginning.turn?.phase))
}

/** A review or an improvement begins with the work of another task: a review judges it, an improvement continues it. */
function begunWith(loop: Loop, inherited: Inherited | undefined): Change {
  if (!inherited) return {}
  const { sha, tree, feedback } = inherited
  const work = { head: { sha, tree, empty: false } }
  if (loop.task.type === 'review') return { work, turn: { phase: 'check' }, asked: 'review' }
  return { work, turn: { feedback: feedback && { said: feedback, tree, begun: false } } }
}
