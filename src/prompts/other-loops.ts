/** Who else works at the same time, so that a reviewer does not ask of one task what another one does. */
import { oneLine } from '../lib/text/printable.ts'
import { untrusted } from './untrusted.ts'

export interface OtherLoop {
  title: string
  status: string
  iteration: number
  /** The one whose work is reviewed. */
  own: boolean
}

/** So many are named; those next to the own one. */
const mostNamed = 30

const longestTitle = 120

/** Null where there is nobody else. */
export function renderOtherLoops(loops: OtherLoop[]): string | null {
  if (!loops.some(({ own }) => !own)) return null
  const lines = loops.map((loop, index) => ({ loop, line: describe(loop, index) }))
  const at = lines.findIndex(({ loop }) => loop.own)
  const first = Math.max(0, Math.min(at - Math.floor(mostNamed / 2), lines.length - mostNamed))
  const shown = lines.slice(first, first + mostNamed)
  const left = lines.length - shown.length
  const rest = left > 0 ? [`… and ${left} more`] : []
  return (
    '## Other loops\n\nThese tasks are worked on in the same run, each on a branch of its own that you do not see here. ' +
    'Do not ask of this one what another one is there to do.\n\n' +
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
