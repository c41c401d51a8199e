/**
 * What a run used. An agent reports tokens in the answer to each prompt, in one of two places or not at all, and only
 * for that prompt. It reports the cost in notifications, for the whole session including earlier runs. So for a resumed
 * session the two can't be combined, and only the cost, which matters more, is reported.
 */
import { type JsonRecord, numberIn, recordIn, recordsIn, textIn } from '../agents/json-line.ts'
import type { AcpUsage } from './line.ts'

export interface Meter {
  /** What is known after a notification. Null if it was about something else. */
  hear(update: JsonRecord): AcpUsage | null
  /** The same, after the answer to a prompt. */
  add(turn: JsonRecord): AcpUsage | null
}

export function openMeter(session: () => 'fresh' | 'resumed'): Meter {
  let costUsd: number | null = null
  let tokens: AcpUsage['tokens'] = null
  let model: string | null = null

  function total(): AcpUsage | null {
    if (costUsd === null && tokens === null) return null
    if (session() === 'resumed' && costUsd !== null)
      return { costUsd, tokens: null, model, counts: 'session' }
    return { costUsd, tokens, model, counts: 'run' }
  }

  return {
    hear(update) {
      const { amount, currency } = recordIn(update.cost)
      const cost = update.sessionUpdate === 'usage_update' && currency === 'USD' ? numberIn(amount) : null
      if (cost === null) return null
      costUsd = cost
      return total()
    },
    add(turn) {
      const own = tokensOf(turn)
      const before = tokens ?? { input: 0, cached: 0, output: 0 }
      if (own) {
        tokens = {
          input: before.input + own.input,
          cached: before.cached + own.cached,
          output: before.output + own.output,
        }
      }
      model = textIn(recordsIn(recordIn(recordIn(turn._meta).quota).model_usage)[0]?.model) || model
      return total()
    },
  }
}

function tokensOf(turn: JsonRecord): AcpUsage['tokens'] {
  const told = recordIn(turn.usage ?? recordIn(recordIn(turn._meta).quota).token_count)
  const count = (...keys: string[]) => {
    const key = keys.find((each) => told[each] !== undefined)
    return (key !== undefined && numberIn(told[key])) || 0
  }
  const input = count('inputTokens', 'input_tokens')
  const output = count('outputTokens', 'output_tokens')
  if (input + output === 0) return null
  // Cache reads and writes are counted separately from the input.
  const cached = count('cachedReadTokens')
  return { input: input + cached + count('cachedWriteTokens'), cached, output }
}
