import type { Step } from '../core/decide.ts'
import { treeBefore } from '../core/evolve.ts'
import type { Loop } from '../core/loop.ts'
import { reviewerPrompt } from '../prompts/reviewer.ts'
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
  if (step.notBefore) await waitBefore(step.notBefore, loop, ports.clock, signal)
  const { cycle, attempt, ask } = step
  if (!loop.head) throw new Error(`loop ${loop.id} has nothing to review`)
  const { tree } = loop.head
  const place = placeOf(loop)
  const session = nextSession(loop)
  // The review of another task's work, where no developer and no gate has made the branch that keeps it.
  if (!loop.developer) await ports.vcs.openWorktree(place, checkoutNeeds(loop, ports), signal)
  const [clone, prompt] = await Promise.all([
    ports.vcs.openClone(`${session}.${loop.version}`, place, tree),
    renderPrompt(step, tree, loop, ports),
    checkBranch(loop, ports),
  ])
  const review = `${session}-review`
  const maxCycles = loop.policy?.maxCycles ?? 0
  return startSession(
    {
      role: 'reviewer',
      iteration: loop.iteration,
      cycle,
      attempt,
      cwd: clone.path,
      prompt,
      limitMs: ports.settings.limitsFor(loop.task).review,
      reviewed: clone.state,
      announce: [
        { type: 'loop.reviewing', data: { cycle, attempt, maxCycles, tree, ask } },
        { type: 'review.started', data: { review, cycle, attempt, session, tree } },
      ],
    },
    loop,
    ports,
  )
}

async function renderPrompt(
  { cycle, ask }: Step & { do: 'review' },
  tree: string,
  loop: Loop,
  ports: Ports,
): Promise<string> {
  const { context } = ports.settings
  const before = treeBefore(loop, cycle)
  const [diff, sinceLast] = await Promise.all([
    ports.vcs.diff(placeOf(loop), tree),
    before === null ? null : ports.vcs.diffTrees(before, tree),
  ])
  return reviewerPrompt({
    id: loop.id,
    task: loop.task,
    of: await taskItIsFor(loop, ports),
    depth: loop.policy?.depth ?? 'standard',
    cycle,
    ask,
    open: loop.ledger.filter((issue) => issue.status === 'open'),
    diff,
    sinceLast,
    gates: (loop.check?.results ?? []).filter(({ name }) =>
      name === 'lint' ? context.lintResults : context.testResults,
    ),
    include: context,
    sessionLog: context.sessionLog ? await developerLog(loop, ports) : null,
    instructions: ports.settings.instructionsFor(ports.settings.cast('reviewer', loop.task).agent),
  })
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
