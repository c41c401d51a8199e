import { usualRoom } from '../agents/agent.ts'
import type { Step } from '../core/decide.ts'
import { treeBefore } from '../core/evolve-review.ts'
import type { Loop } from '../core/loop.ts'
import { changeFile, isWhole } from '../prompts/change.ts'
import { type ReviewerBrief, reviewerPrompt } from '../prompts/reviewer.ts'
import { shortenTexts, shortShare, wholePromptFile, withNotice } from '../prompts/short-form.ts'
import { headAndTail } from '../prompts/untrusted.ts'
import { checkBranch } from './check-branch.ts'
import { checkoutNeeds } from './checkout-needs.ts'
import type { Performed } from './perform.ts'
import { placeOf } from './place-of.ts'
import type { Ports } from './ports.ts'
import { nextSession, startSession } from './start-session.ts'
import { taskItIsFor } from './task-it-is-for.ts'
import { waitBefore } from './wait-before.ts'

const longestSessionLog = 60_000

/** Makes the reviewer its clone, gathers the context that the configuration asks for, and starts it. */
export async function startReviewer(
  step: Step & { do: 'review' },
  loop: Loop,
  ports: Ports,
  signal: AbortSignal,
): Promise<Performed> {
  const { cycle, attempt, ask, notBefore } = step
  if (notBefore && (await waitBefore(notBefore, 'reviewer', loop, ports, signal)) === 'changed')
    return { events: [] }
  if (!loop.head) throw new Error(`loop ${loop.id} has nothing to review`)
  const { tree } = loop.head
  const place = placeOf(loop)
  const session = nextSession(loop)
  // The review of another task's work, where no developer and no gate has made the branch that keeps it.
  if (!loop.developer) await ports.vcs.openWorktree(place, checkoutNeeds(loop, ports), signal)
  // First, because the branch as it is then is what the reviewer is held to.
  await checkBranch(loop, ports)
  const [clone, { prompt, files }] = await Promise.all([
    ports.vcs.openClone(`${session}.${loop.version}`, place, tree),
    renderPrompt(step, tree, loop, ports),
  ])
  const review = `${session}-review`
  const { reviewCommand: asked } = ports.settings
  const maxCycles = loop.policy?.maxCycles ?? 0
  return startSession(
    {
      role: 'reviewer',
      iteration: loop.iteration,
      cycle,
      attempt,
      cwd: clone.path,
      prompt,
      files,
      limitMs: ports.settings.limitsFor(loop.task).review,
      reviewed: clone.state,
      command: asked.command,
      leads: asked.asks.by === 'agent' ? asked.command : null,
      announce: [
        { type: 'loop.reviewing', data: { cycle, attempt, maxCycles, tree, ask } },
        { type: 'review.started', data: { review, cycle, attempt, session, tree } },
      ],
    },
    loop,
    ports,
  )
}

/** The prompt, and beside it as files what it has no room for. */
async function renderPrompt(
  { cycle, ask, prompt: form }: Step & { do: 'review' },
  tree: string,
  loop: Loop,
  ports: Ports,
): Promise<{ prompt: string; files: Record<string, string> }> {
  const { context } = ports.settings
  const { agent } = ports.settings.cast('reviewer', loop.task)
  const folder = ports.attempts.filesFolder(nextSession(loop))
  const room = agent.room ?? usualRoom
  const before = treeBefore(loop, cycle)
  const [diff, sinceLast] = await Promise.all([
    ports.vcs.diff(placeOf(loop), tree),
    before === null ? null : ports.vcs.diffTrees(before, tree),
  ])
  const brief: ReviewerBrief = {
    id: loop.id,
    task: loop.task,
    of: await taskItIsFor(loop, ports),
    depth: loop.policy?.depth ?? 'standard',
    cycle,
    ask,
    open: loop.ledger.filter((issue) => issue.status === 'open'),
    diff,
    room,
    diffFile: `${folder}/${changeFile}`,
    sinceLast,
    gates: (loop.check?.results ?? []).filter(({ name }) =>
      name === 'lint' ? context.lintResults : context.testResults,
    ),
    include: context,
    sessionLog: context.sessionLog ? await developerLog(loop, ports) : null,
    instructions: ports.settings.instructionsFor(agent, 'reviewer'),
  }
  const { command, asks } = ports.settings.reviewCommand
  // An agent knows its own command only at the very beginning.
  const askedBy = (prompt: string) => (asks.by === 'agent' ? `${command}\n\n${prompt}` : prompt)
  const whole = reviewerPrompt(brief, asks)
  if (form === 'whole')
    return {
      prompt: askedBy(whole),
      files: isWhole(diff, room) || !context.gitDiff ? {} : { [changeFile]: diff.text },
    }
  const { task, of, open, sessionLog } = brief
  const short = { ...shortenTexts({ task, of, open, sessionLog }), room: Math.floor(room * shortShare) }
  return {
    prompt: askedBy(withNotice(reviewerPrompt({ ...brief, ...short }, asks), `${folder}/${wholePromptFile}`)),
    files: { [changeFile]: diff.text, [wholePromptFile]: whole },
  }
}

/** What the developer said in its latest session, for those who turned `review.blind` off. */
async function developerLog(loop: Loop, ports: Ports): Promise<string | null> {
  const sessions = await ports.archive.sessions(loop.id)
  const latest = sessions.findLast((session) => session.role === 'developer' && session.status === 'done')
  if (!latest) return null
  const messages = await ports.archive.messages(latest.id)
  const text = messages.map((message) => message.content).join('\n')
  return text ? headAndTail(text, longestSessionLog) : null
}
