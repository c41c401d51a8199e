/** A handler that keeps every task until it is released, and reports what it holds. */
import type { HeldTask } from '../../src/queue/work-source.ts'

export function openRecorder() {
  const kept = new Map<number, { hold: HeldTask; release: () => void }>()
  const waiting = new Set<() => void>()
  let most = 0

  /** Checks the condition after every change until it holds. */
  async function until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((done) => waiting.add(done))
  }

  function changed(): void {
    for (const done of waiting) done()
    waiting.clear()
  }

  function hold(task: number): HeldTask {
    const found = kept.get(task)
    if (!found) throw new Error(`${task} is not held`)
    return found.hold
  }

  return {
    async handle(hold: HeldTask): Promise<void> {
      hold.signal.addEventListener('abort', changed)
      const released = new Promise<void>((release) => kept.set(hold.task, { hold, release }))
      most = Math.max(most, kept.size)
      changed()
      await released
      kept.delete(hold.task)
      changed()
    },
    hold,
    held: () => [...kept.keys()].sort(),
    mostAtOnce: () => most,
    release: (task: number) => kept.get(task)?.release(),
    taken: (...tasks: number[]) => until(() => tasks.every((task) => kept.has(task))),
    returned: (task: number) => until(() => !kept.has(task)),
    async lost(task: number): Promise<unknown> {
      const { signal } = hold(task)
      await until(() => signal.aborted)
      return signal.reason
    },
  }
}
