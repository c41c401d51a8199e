/**
 * Waits until something changes in a folder. Growth is collected for a moment, because a program may write a thousand
 * times a second. The wait is never longer than asked, so a file system that reports no changes is polled at that
 * interval.
 */
import { type FSWatcher, watch } from 'node:fs'

export interface FolderChanges {
  /**
   * Resolves at the next change, after `ms`, or when the signal aborts. Resolves at once for a change since the last
   * wait.
   */
  wait(ms: number, signal: AbortSignal): Promise<void>
  close(): void
}

const gatherMs = 25

/** `urgent` is the name of a file whose changes are reported without delay. */
export function watchFolder(folder: string, urgent: string): FolderChanges {
  let changed: 'no' | 'soon' | 'now' = 'no'
  let wake: () => void = () => {}

  let watcher: FSWatcher | null = null
  try {
    watcher = watch(folder, (_event, name) => {
      if (changed === 'now' || (changed === 'soon' && name !== urgent)) return
      changed = name === urgent ? 'now' : 'soon'
      wake()
    })
    watcher.on('error', () => {})
  } catch {
    // Watching is not possible (the system's limit, or the folder is gone).
  }

  return {
    async wait(ms, signal) {
      const started = performance.now()
      while (changed !== 'now' && !signal.aborted) {
        const left = Math.min(changed === 'soon' ? gatherMs : ms, ms - (performance.now() - started))
        if (left <= 0) break
        const before: string = changed
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, left)
          wake = () => {
            clearTimeout(timer)
            resolve()
          }
          signal.addEventListener('abort', wake, { once: true })
        })
        signal.removeEventListener('abort', wake)
        if (before === 'soon') break
      }
      changed = 'no'
    },
    close() {
      watcher?.close()
    },
  }
}
