/** The usage of a session, computed from its agent's reports. */
import type { Tokens, Usage } from '../../agents/agent.ts'
import { knownSum } from '../../core/session/fold-session.ts'

export interface UsageTotal {
  costUsd: number | null
  tokens: Tokens | null
  model: string | null
  /** `session` includes the usage of earlier runs of the resumed session. */
  counts: 'run' | 'session'
}

export interface OwnUsage {
  costUsd: number | null
  tokens: number | null
}

export const noUsage: UsageTotal = { costUsd: null, tokens: null, model: null, counts: 'run' }

export function withUsage(total: UsageTotal, { costUsd, tokens, model, counts }: Usage): UsageTotal {
  const named = model ?? total.model
  // A total replaces the usage so far. A step is added to it.
  if (counts !== 'step')
    return { costUsd: costUsd ?? total.costUsd, tokens: tokens ?? total.tokens, model: named, counts }
  return {
    costUsd: knownSum(total.costUsd, costUsd),
    tokens: total.tokens && tokens ? added(total.tokens, tokens) : (tokens ?? total.tokens),
    model: named,
    counts: total.counts,
  }
}

/**
 * The usage of this run only. If an agent reports only tokens, `price` computes their cost. If it counts over all runs of
 * a resumed session, the usage of the earlier runs is subtracted.
 */
export async function ownUsage(
  { costUsd, tokens, model, counts }: UsageTotal,
  price: (model: string, tokens: Tokens) => Promise<number | null>,
  earlier: OwnUsage[],
): Promise<OwnUsage> {
  const cost = costUsd ?? (model !== null && tokens !== null ? await price(model, tokens) : null)
  const count = tokens && tokens.input + tokens.output
  if (counts === 'run') return { costUsd: cost, tokens: count }
  const before = (key: keyof OwnUsage) => earlier.reduce((all, each) => all + (each[key] ?? 0), 0)
  return {
    costUsd: cost === null ? null : Math.max(0, cost - before('costUsd')),
    tokens: count === null ? null : Math.max(0, count - before('tokens')),
  }
}

function added(one: Tokens, other: Tokens): Tokens {
  return {
    input: one.input + other.input,
    cached: one.cached + other.cached,
    output: one.output + other.output,
  }
}
