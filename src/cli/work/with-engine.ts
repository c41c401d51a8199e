/** Opens the engine for a command that runs loops in the foreground, and closes it again, even after an error. */
import { type Engine, openEngine } from '../../app/engine.ts'
import { createLineReader } from '../../app/line-reader.ts'
import type { Repository } from '../../app/repository.ts'
import type { Loop } from '../../core/loop.ts'
import type { Effort } from '../../core/policy/effort.ts'
import { oneLine } from '../../lib/text/printable.ts'
import type { Store } from '../../store/store.ts'
import { exitCodes } from '../exit-codes.ts'
import type { Interruption, Invocation } from '../invocation.ts'
import { createScreen, type Screen } from '../screen/screen.ts'
import { writeStore } from '../with-store.ts'

export interface Foreground {
  engine: Engine
  store: Store
  repository: Repository
  screen: Screen
  interruption: Interruption
  invocation: Invocation
}

export interface ForegroundFlags {
  effort?: Effort
  budget?: number
  plain?: boolean
  json?: boolean
}

export async function withEngine(
  invocation: Invocation,
  flags: ForegroundFlags,
  use: (foreground: Foreground) => Promise<number>,
): Promise<number> {
  const interruption = invocation.listenForSignals()
  try {
    return await writeStore(invocation, async (store, repository) => {
      const opened: { engine: Engine | null } = { engine: null }
      const readers = (agent: string) => opened.engine?.ports.settings.readerFor(agent) ?? { read: () => [] }
      const screen = createScreen(flags, store, createLineReader(readers), invocation)
      const warnings: string[] = []
      const warn = (text: string) => void warnings.push(text)
      interruption.signal.addEventListener('abort', () => screen.say(interruptedWords))
      try {
        const { observe } = screen
        const engine = await openEngine(repository, store, {
          ...{ effort: flags.effort ?? null, budget: flags.budget ?? null },
          ...{ observe, warn, terminal: invocation.stderr },
        })
        opened.engine = engine
        try {
          return await use({ engine, store, repository, screen, interruption, invocation })
        } finally {
          await engine.close()
        }
      } finally {
        await screen.close()
        // Warnings wait until the screen is closed, because they would end up in the middle of the live view.
        for (const text of warnings) invocation.stderr.write(`umpire: ${oneLine(text, 500)}\n`)
      }
    })
  } finally {
    interruption.stop()
  }
}

const interruptedWords = 'Stopping agents and saving state… Press Ctrl-C again to quit now.'

/**
 * `unseen` counts tasks that were asked for but that another process has or ended: this call can't say that they are done.
 * `waiting` counts tasks that could not start, because a person must act on another task first.
 */
export function exitCodeFor(worked: Loop[], unseen: number, waiting = 0): number {
  if (unseen > 0 || worked.some((loop) => loop.standing.status === 'failed')) return exitCodes.failed
  if (
    waiting > 0 ||
    worked.some((loop) => loop.standing.status === 'blocked' || loop.standing.status === 'awaiting_review')
  )
    return exitCodes.personNeeded
  return exitCodes.done
}
