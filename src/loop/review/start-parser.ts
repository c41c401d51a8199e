import type { Loop } from '../../core/loop.ts'
import type { Step } from '../../core/step.ts'
import { parserPrompt } from '../../prompts/parser.ts'
import { checkBranch } from '../check/check-branch.ts'
import type { Performed } from '../performed.ts'
import { placeOf } from '../place-of.ts'
import type { Ports } from '../ports.ts'
import { nextSession, startSession } from '../session/start-session.ts'
import { waitBefore } from '../session/wait-before.ts'

/**
 * Starts a parser on what a reviewer said. It sees nothing but that: its clone is empty. It is held to what a reviewer is
 * held to all the same, because what it makes of the text is what approves.
 */
export async function startParser(
  { answer, attempt, notBefore }: Step & { do: 'parse' },
  loop: Loop,
  ports: Ports,
  signal: AbortSignal,
): Promise<Performed> {
  if (notBefore && (await waitBefore(notBefore, 'parser', loop, ports, signal)) === 'changed')
    return { events: [] }
  const { settings } = ports
  await checkBranch(loop, ports)
  const clone = await ports.vcs.openClone(`${nextSession(loop)}.${loop.version}`, placeOf(loop), null)
  const prompt = parserPrompt({
    review: answer.rawOutput,
    open: loop.review.ledger.filter((issue) => issue.status === 'open'),
    unclear: settings.unclear,
    instructions: settings.instructionsFor(settings.cast('parser', loop.task).agent, 'parser'),
  })
  return startSession(
    {
      session: nextSession(loop),
      role: 'parser',
      iteration: loop.turn.iteration,
      cycle: answer.cycle,
      attempt,
      cwd: clone.path,
      prompt,
      limitMs: settings.limitsFor(loop.task).review,
      reviewed: clone.state,
      announce: [],
    },
    loop,
    ports,
  )
}
