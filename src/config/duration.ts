const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const

/** A timer set for longer than 2^31 - 1 ms (24.8 days) fires at once, so a longer limit would end everything at once. */
const longestMs = 24 * 24 * unitMs.h

export const durationRule = 'must be a duration such as 90s, 10m or 2h, longer than 0 and at most 576h'

/** Milliseconds, or null if the text is not a duration. A bare number is not: its unit would be a guess. */
export function parseDuration(text: string): number | null {
  const match = /^(\d{1,10})(ms|s|m|h)$/.exec(text)
  const unit = match?.[2]
  if (unit !== 'ms' && unit !== 's' && unit !== 'm' && unit !== 'h') return null
  const ms = Number(match?.[1]) * unitMs[unit]
  return ms > 0 && ms <= longestMs ? ms : null
}

/** The way a person writes it: in the largest unit without a remainder, but `60m` instead of `1h`. */
export function renderDuration(ms: number): string {
  const units = ms >= 2 * unitMs.h ? (['h', 'm', 's'] as const) : (['m', 's'] as const)
  const unit = units.find((each) => ms % unitMs[each] === 0) ?? 'ms'
  return `${ms / unitMs[unit]}${unit}`
}
