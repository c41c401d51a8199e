/** Prices of tokens, from a list that is part of the package. Nothing is fetched. */
import { calcPrice } from '@pydantic/genai-prices'
import type { Tokens } from '../agents/agent.ts'

export function priceOf(model: string, { input, cached, output }: Tokens): number | null {
  const usage = { input_tokens: input, cache_read_tokens: Math.min(cached, input), output_tokens: output }
  return calcPrice(usage, model)?.total_price ?? null
}
