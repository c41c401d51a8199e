/** Times, sizes and money in the words that people use. */

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

/** As on a stopwatch: `0:41`, `12:05`, `1:02:03`. */
export function stopwatch(ms: number): string {
  const whole = Math.max(0, Math.floor(ms / second))
  const [hours, minutes, seconds] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  const two = (value: number) => String(value).padStart(2, '0')
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds)}` : `${minutes}:${two(seconds)}`
}

/** In at most two units: `41 s`, `4 min 12 s`, `2 h 5 min`, `3 d 4 h`. */
export function duration(ms: number): string {
  const units: [string, number][] = [
    ['d', day],
    ['h', hour],
    ['min', minute],
    ['s', second],
  ]
  const first = units.findIndex(([, size]) => ms >= size)
  if (first < 0) return 'under 1 s'
  let left = ms
  const said = units.slice(first, first + 2).flatMap(([name, size]) => {
    const count = Math.floor(left / size)
    left -= count * size
    return count === 0 ? [] : [`${count} ${name}`]
  })
  return said.join(' ')
}

/** `just now`, `3 min ago`, `2 h ago`, `5 days ago`. A time in the future counts as now. */
export function ago(at: string, now: Date): string {
  const ms = now.getTime() - Date.parse(at)
  if (ms < minute) return 'just now'
  if (ms < hour) return `${Math.floor(ms / minute)} min ago`
  if (ms < day) return `${Math.floor(ms / hour)} h ago`
  const days = Math.floor(ms / day)
  return days === 1 ? 'a day ago' : `${days} days ago`
}

/** By the reader's clock: `14:32`. */
export function timeOfDay(at: string): string {
  const time = new Date(at)
  return [time.getHours(), time.getMinutes()].map((part) => String(part).padStart(2, '0')).join(':')
}

/** A future time by the reader's clock: `14:32`, or `Nov 20, 14:32` when that is not today. */
export function timeAhead(at: string, now: Date): string {
  const day = new Date(at)
  if (day.toDateString() === now.toDateString()) return timeOfDay(at)
  return `${months[day.getMonth()]} ${day.getDate()}, ${timeOfDay(at)}`
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** `512 B`, `1.2 MB`. */
export function bytes(count: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  const power = Math.min(Math.floor(Math.log10(Math.max(count, 1)) / 3), units.length - 1)
  return `${short(count / 1000 ** power)} ${units[power]}`
}

/** `950`, `12.3k`, `1.2M`. */
export function tokenCount(count: number): string {
  if (count < 1000) return String(count)
  return count < 999_950 ? `${short(count / 1000)}k` : `${short(count / 1e6)}M`
}

/** `at least $1.20` when some of the sessions reported no cost. */
export function knownCost(costUsd: number, untold: number): string {
  return untold === 0 ? dollars(costUsd) : `at least ${dollars(costUsd)}`
}

/** `$0.42`. A positive amount below a cent is not shown as zero. */
export function dollars(usd: number): string {
  return usd > 0 && usd < 0.005 ? 'under $0.01' : `$${usd.toFixed(2)}`
}

/** `+12 −3 in 2 files`. Lines of binary files are not counted. */
export function changeSize(files: { added: number | null; removed: number | null }[]): string {
  const sum = (which: 'added' | 'removed') => files.reduce((all, file) => all + (file[which] ?? 0), 0)
  return `+${sum('added')} −${sum('removed')} in ${files.length} ${files.length === 1 ? 'file' : 'files'}`
}

/** One decimal digit, left out if it is zero. */
function short(value: number): string {
  return value.toFixed(1).replace(/\.0$/, '')
}
