import type { Checkpoints } from '../ports.ts'

/** The loops that this process works on, as those who can be looked at. */
export function createCheckpoints(): Checkpoints {
  const joined = new Map<number, Parameters<Checkpoints['join']>[1]>()
  return {
    join(task, look) {
      joined.set(task, look)
      return () => {
        if (joined.get(task) === look) joined.delete(task)
      }
    },
    reach(by) {
      for (const [task, look] of joined) if (task !== by.task) look(by)
    },
  }
}
