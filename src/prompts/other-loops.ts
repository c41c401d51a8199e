/** Names the tasks that run in parallel, so that a reviewer does not ask one task for another task's work. */
import { oneLine } from '../lib/text/printable.ts'
import { untrusted } from './untrusted.ts'

export interface OtherLoop {
  title: string
  status: string
  iteration: number
  /** Whether this is the loop under review. */
  own: boolean
}

/** At most this many loops are named: those next to the one under review. */
const mostNamed = 30

const longestTitle = 120

/** Null when no other loop runs. */
export function renderOtherLoops(loops: OtherLoop[]): string | null {
  if (!loops.some(({ own }) => !own)) return null
  const lines = loops.map((loop, index) => ({ loop, line: describe(loop, index) }))
  const at = lines.findIndex(({ loop }) => loop.own)
  const first = Math.max(0, Math.min(at - Math.floor(mostNamed / 2), lines.length - mostNamed))
  const shown = lines.slice(first, first + mostNamed)
  const left = lines.length - shown.length
  const rest = left > 0 ? [`… and ${left} more`] : []
  return (
    '## Other loops\n\nThese tasks run in parallel, each on its own branch, which you do not see here. ' +
    'Do not ask this task to do the work of another.\n\n' +
    untrusted([...shown.map(({ line }) => line), ...rest].join('\n'))
  )
}

/** `Loop C (in_progress): Add a page, iteration 3`. */
function describe({ title, status, iteration, own }: OtherLoop, index: number): string {
  const turn = status === 'in_progress' && iteration > 0 ? `, iteration ${iteration}` : ''
  const mark = own ? ' (the one under review)' : ''
  return `Loop ${letters(index)} (${status}): ${oneLine(title, longestTitle)}${turn}${mark}`
}

/** A, B, …, Z, AA, AB, … */
function letters(index: number): string {
  const last = String.fromCharCode(65 + (index % 26))
  return index < 26 ? last : `${letters(Math.floor(index / 26) - 1)}${last}`
}
