import { hasTools } from '../../agents/agent.ts'
import type { Loop } from '../../core/loop.ts'
import { withoutWaived } from '../../core/review/waive.ts'
import type { Step } from '../../core/step.ts'
import { type DeveloperBrief, developerPrompt } from '../../prompts/developer.ts'
import { shortenTexts, wholePromptFile, withNotice } from '../../prompts/shorten.ts'
import { checkoutNeeds } from '../check/checkout-needs.ts'
import { placeOf } from '../place-of.ts'
import type { Performed, Ports } from '../ports.ts'
import { taskItIsFor, tasksBuiltOn } from '../session/related-tasks.ts'
import { nextSession, startSession } from '../session/start-session.ts'
import { waitBefore } from '../session/wait-before.ts'

/** Opens the loop's worktree and starts a developer in it. */
export async function startDeveloper(
  step: Step & { do: 'develop' },
  loop: Loop,
  ports: Ports,
  signal: AbortSignal,
): Promise<Performed> {
  const { notBefore } = step
  if (notBefore && (await waitBefore(notBefore, 'developer', loop, ports, signal)) === 'changed')
    return { events: [] }
  const limits = ports.settings.limitsFor(loop.task)
  const { path } = await ports.vcs.openWorktree(placeOf(loop), checkoutNeeds(loop, ports), signal)
  const { iteration, attempt } = step
  const cycle = loop.review.cycle + 1
  const maxCycles = loop.policy?.maxCycles ?? 0
  const told = loop.turn.feedback?.said.from ?? 'nothing'
  const brief: DeveloperBrief = {
    id: loop.id,
    task: loop.task,
    of: await taskItIsFor(loop, ports),
    builtOn: await tasksBuiltOn(loop, ports),
    gates: loop.policy?.gates ?? [],
    feedback: loop.turn.feedback && withoutWaived(loop.turn.feedback.said, loop.review.ledger),
    open: loop.review.ledger.filter((issue) => issue.status === 'open'),
    checkpoint: loop.review.checkpoint,
    unfinished: step.unfinished,
    mustClaim: loop.policy?.until === 'claim' && !loop.asked,
    tools: hasTools(ports.settings.cast('developer', loop.task).agent, 'developer') ? 'mcp' : 'none',
  }
  const { developTemplate: template } = ports.settings
  const whole = developerPrompt(brief, template)
  const isShort = step.prompt === 'short'
  const wholeFile = `${ports.attempts.filesFolder(nextSession(loop))}/${wholePromptFile}`
  const prompt = isShort ? withNotice(developerPrompt(shortenTexts(brief), template), wholeFile) : whole
  return startSession(
    {
      session: nextSession(loop),
      role: 'developer',
      iteration,
      cycle,
      attempt,
      cwd: path,
      prompt,
      ...(isShort && { files: { [wholePromptFile]: whole } }),
      limitMs: loop.turn.feedback ? limits.improve : limits.develop,
      reviewed: null,
      announce: [{ type: 'loop.developing', data: { iteration, cycle, attempt, maxCycles, told } }],
    },
    loop,
    ports,
  )
}
