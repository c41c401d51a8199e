/**
 * Follows a running attempt, whoever started it: hands on its output as it grows and sees to it that it ends. The first
 * reason to end wins:
 *
 *   a result is there ──► exited        nothing printed for too long ──► kill ──► idle
 *   the keeper is gone and left no result ──► kill the rest ──► lost
 *   the signal ──► kill, unless it is somebody else's now ──► aborted
 */
import { setImmediate as turn } from 'node:timers/promises'
import { LostClaimError } from '../core/errors.ts'
import { watchFolder } from '../lib/folder-changes.ts'
import { isAlive } from '../lib/process-identity.ts'
import type { AttemptEnd, Watch } from './attempt.ts'
import { type AttemptFolder, readKeeper, readResult } from './folder.ts'
import { type Output, openOutput } from './output.ts'

/** How often the folder and the keeper are looked at when no change is reported. */
const pollMs = 1000

export async function followAttempt(
  folder: AttemptFolder,
  watch: Watch,
  kill: () => Promise<void>,
  signal: AbortSignal,
): Promise<AttemptEnd> {
  const changes = watchFolder(folder.path, 'result')
  const outputs = [openOutput(folder, 'stdout'), openOutput(folder, 'stderr')]
  try {
    const end = await waitForEnd()
    await readOn(outputs, watch)
    for (const output of outputs) await deliver(output, await output.finish(), watch)
    return end
  } finally {
    changes.close()
    for (const output of outputs) await output.close()
  }

  async function waitForEnd(): Promise<AttemptEnd> {
    let lastGrowth = performance.now()
    for (;;) {
      const state = await look(folder)
      if (state !== 'running') {
        if (state === 'dead') await kill()
        return state === 'dead' ? { kind: 'lost' } : state
      }
      if (signal.aborted) {
        if (!(signal.reason instanceof LostClaimError)) await kill()
        return { kind: 'aborted' }
      }
      if (await readOn(outputs, watch, signal)) lastGrowth = performance.now()
      const idleLeft = watch.idleMs === null ? pollMs : lastGrowth + watch.idleMs - performance.now()
      if (idleLeft <= 0) {
        await kill()
        return { kind: 'idle' }
      }
      await changes.wait(Math.min(pollMs, idleLeft), signal)
    }
  }
}

async function look(folder: AttemptFolder): Promise<'running' | 'dead' | (AttemptEnd & { kind: 'exited' })> {
  const keeper = await readKeeper(folder)
  const alive = keeper.kind === 'won' && isAlive(keeper.identity)
  // The result is looked for after the keeper: a keeper that was seen dead can't publish any more.
  const result = await readResult(folder)
  if (result !== null) return { kind: 'exited', ...result }
  return alive ? 'running' : 'dead'
}

/** Reads both files to their present ends, taking turns. Says whether there was anything. */
async function readOn(outputs: Output[], watch: Watch, signal?: AbortSignal): Promise<boolean> {
  const before = outputs.map((output) => output.position)
  let open = outputs
  while (open.length > 0 && !signal?.aborted) {
    const more: Output[] = []
    for (const output of open) {
      const lines = await output.read()
      if (lines === null) continue
      await deliver(output, lines, watch)
      more.push(output)
    }
    open = more
    await turn()
  }
  return outputs.some((output, index) => output.position !== before[index])
}

async function deliver(output: Output, lines: Parameters<Watch['onLines']>[1], watch: Watch): Promise<void> {
  if (lines.length > 0) await watch.onLines(output.source, lines)
}
