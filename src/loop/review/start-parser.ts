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
 * Starts a parser on the text of a reviewer. It sees only this text: its clone is empty. It must obey the same rules as a
 * reviewer, because its reading of the text can approve the work.
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
