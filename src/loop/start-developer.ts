import type { Step } from '../core/decide.ts'
import type { Loop } from '../core/loop.ts'
import { developerPrompt } from '../prompts/developer.ts'
import { checkoutNeeds } from './checkout-needs.ts'
import type { Performed } from './perform.ts'
import { placeOf } from './place-of.ts'
import type { Ports } from './ports.ts'
import { startSession } from './start-session.ts'
import { taskItIsFor } from './task-it-is-for.ts'
import { waitBefore } from './wait-before.ts'

/** Opens the loop's worktree and starts a developer in it. */
export async function startDeveloper(
  step: Step & { do: 'develop' },
  loop: Loop,
  ports: Ports,
  signal: AbortSignal,
): Promise<Performed> {
  if (step.notBefore) await waitBefore(step.notBefore, loop, ports.clock, signal)
  const limits = ports.settings.limitsFor(loop.task)
  const { path } = await ports.vcs.openWorktree(placeOf(loop), checkoutNeeds(loop, ports), signal)
  const { iteration, attempt } = step
  const cycle = loop.cycle + 1
  const maxCycles = loop.policy?.maxCycles ?? 0
  const prompt = developerPrompt({
    id: loop.id,
    task: loop.task,
    of: await taskItIsFor(loop, ports),
    gates: loop.policy?.gates ?? [],
    feedback: loop.feedback?.said ?? null,
    open: loop.ledger.filter((issue) => issue.status === 'open'),
    unfinished: step.unfinished,
    mustClaim: loop.policy?.until === 'claim' && !loop.hand,
  })
  return startSession(
    {
      role: 'developer',
      iteration,
      cycle,
      attempt,
      cwd: path,
      prompt,
      limitMs: loop.feedback ? limits.improve : limits.develop,
      reviewed: null,
      announce: [{ type: 'loop.developing', data: { iteration, cycle, attempt, maxCycles } }],
    },
    loop,
    ports,
  )
}
