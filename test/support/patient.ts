/**
 * For tests that start many processes: on a busy machine each of them may be slow. What a test waits for comes in the
 * end or never, so the limits only stop a test that hangs.
 */
import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { vi } from 'vitest'

const minutes = 60_000
vi.setConfig({ testTimeout: 10 * minutes, hookTimeout: 10 * minutes })

/** Polls until the condition holds, and fails if it never does. */
export async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = Date.now() + 5 * minutes
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`never came: ${what}`)
    await sleep(20)
  }
}

export const fileAppears = (path: string) => until(() => existsSync(path), path)
