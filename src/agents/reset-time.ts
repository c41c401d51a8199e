/**
 * Finds the time at which an exhausted limit resets, in the words that agent programs show to people:
 *
 *   … limit reached|1781452800
 *   … resets 3pm (Europe/Berlin)        … resets Nov 20, 3:30pm (UTC)
 *   … or try again at Nov 20th, 2026 3:45 PM.
 *   … try again in 2 days 3 hours       … will reset after 5h3m2s
 *
 * Null if the text contains no plausible time. A time that has just passed means that the limit should be over by now:
 * a program may show the old time a little longer, and clocks differ.
 */

const second = 1000
const day = 86_400 * second

/** Umpire does not wait for a limit longer than a month. */
const longestWait = 32 * day

/** A time at most this long ago has just passed. */
const justPassed = 3600 * second

export function resetTime(text: string, now: Date): string | null {
  const found = epoch(text) ?? isoTime(text) ?? span(text, now) ?? clockTime(text, now)
  if (found === null || found - now.getTime() > longestWait) return null
  if (found > now.getTime()) return new Date(found).toISOString()
  // The caller waits longer each time the limit turns out not to be over.
  return isPast(found, now) ? null : new Date(now.getTime() + second).toISOString()
}

/** Too long ago for a program to still show it. */
function isPast(time: number, now: Date): boolean {
  return now.getTime() - time > justPassed
}

function epoch(text: string): number | null {
  const seconds = /limit reached\|(\d{10})\b/.exec(text)?.[1]
  return seconds ? Number(seconds) * second : null
}

function isoTime(text: string): number | null {
  const written = /\b(?:at|until|after|resets?)\s+(\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d))/i.exec(
    text,
  )?.[1]
  const time = written ? Date.parse(written) : Number.NaN
  return Number.isNaN(time) ? null : time
}

const units: [RegExp, number][] = [
  [/^(?:d|days?)$/i, day],
  [/^(?:h|hours?|hrs?)$/i, 3600 * second],
  [/^(?:m|min|mins|minutes?)$/i, 60 * second],
  [/^(?:s|secs?|seconds?)$/i, second],
  [/^(?:ms|milliseconds?)$/i, 1],
]

function span(text: string, now: Date): number | null {
  const piece = String.raw`(?:\d+(?:\.\d+)?\s*(?:milliseconds?|minutes?|seconds?|hours?|days?|mins?|secs?|hrs?|ms|[dhms])\b[\s,]*(?:and\s+)?|\d+(?:\.\d+)?[dhms](?=\d))`
  const whole = new RegExp(String.raw`\b(?:in|after)\s+(?:about\s+)?(${piece}+)`, 'i').exec(text)?.[1]
  if (!whole) return null
  let total = 0
  for (const [, count, unit = ''] of whole.matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)/gi)) {
    total += Number(count) * (units.find(([name]) => name.test(unit))?.[1] ?? 0)
  }
  return total > 0 ? now.getTime() + total : null
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

const clock =
  /\b(?:resets?|again)\s+(?:at\s+|on\s+)?(?:(?<month>[A-Z][a-z]{2})[a-z]*\.?\s+(?<date>\d{1,2})(?:st|nd|rd|th)?,?\s+(?:(?<year>\d{4}),?\s+)?(?:at\s+)?)?(?<hour>\d{1,2})(?::(?<minute>\d\d))?\s*(?<half>[ap]m)(?:\s*\((?<zone>[A-Za-z_+\-/0-9]+)\))?/i

function clockTime(text: string, now: Date): number | null {
  const parts = clock.exec(text)?.groups
  if (!parts) return null
  const { month, date, year, zone } = parts
  const hour = (Number(parts.hour) % 12) + (parts.half?.toLowerCase() === 'pm' ? 12 : 0)
  const minute = Number(parts.minute ?? 0)
  const offset = (at: number) => offsetOf(zone, at)
  if (offset(now.getTime()) === null) return null
  const today = new Date(now.getTime() + (offset(now.getTime()) ?? 0))
  const named = month === undefined ? -1 : months.indexOf(month.toLowerCase())
  if (month !== undefined && named < 0) return null
  const at = (years: number, days: number): number => {
    const written =
      month === undefined
        ? Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate() + days, hour, minute)
        : Date.UTC(years, named, Number(date), hour, minute)
    // Uses the offset of that day, which may differ from today's. The text has no seconds, so the whole minute must
    // pass.
    return 60 * second + written - (offset(written - (offset(written) ?? 0)) ?? 0)
  }
  if (year !== undefined) return at(Number(year), 0)
  // Without a date or a year, the next such time is meant, unless the last one (perhaps yesterday's) has just passed.
  const times = [-1, 0, 1].map((step) => at(today.getUTCFullYear() + step, step))
  return times.find((time) => !isPast(time, now)) ?? null
}

/** How far the wall clock in that zone is ahead of UTC, in milliseconds. Without a zone, this machine's. */
function offsetOf(zone: string | undefined, at: number): number | null {
  if (zone === undefined) return -new Date(at).getTimezoneOffset() * 60 * second
  try {
    const parts = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    }).formatToParts(at)
    const part = (type: string) => Number(parts.find((each) => each.type === type)?.value)
    const wall = Date.UTC(
      part('year'),
      part('month') - 1,
      part('day'),
      part('hour'),
      part('minute'),
      part('second'),
    )
    return wall - Math.floor(at / second) * second
  } catch {
    return null
  }
}
