import type { Loop } from '../../core/loop.ts'
import type { OtherLoop } from '../../prompts/other-loops.ts'
import type { Ports } from '../ports.ts'

/** The loops of this run that are under way or have ended in it, this one included, in the order of their tasks. */
export async function otherLoops(loop: Loop, { archive, journal }: Ports): Promise<OtherLoop[]> {
  const run = loop.claim?.run
  const [started] =
    run === undefined ? [] : await journal.list({ stream: `run/${run}`, types: ['run.started'] })
  const found = (await archive.tasks()).filter(
    ({ id, status, endedAt }) =>
      id === loop.id || status === 'in_progress' || (endedAt !== null && started && endedAt >= started.at),
  )
  return found.map(({ id, title, status, iteration }) => ({ title, status, iteration, own: id === loop.id }))
}
