import { hasTools, usualRoom } from '../../agents/agent.ts'
import type { Loop } from '../../core/loop.ts'
import { treeBefore } from '../../core/phases/review.ts'
import type { PromptForm } from '../../core/policy/failure.ts'
import type { Proof } from '../../core/policy/policy.ts'
import type { Step } from '../../core/step.ts'
import { mergesFile, wholeMerges } from '../../prompts/other-tasks.ts'
import { changeFile, isWhole } from '../../prompts/render-change.ts'
import { mostFacts } from '../../prompts/render-weakened.ts'
import { type ReviewerBrief, reviewerPrompt } from '../../prompts/reviewer.ts'
import { shortenTexts, shortShare, wholePromptFile, withNotice } from '../../prompts/shorten.ts'
import { headAndTail } from '../../prompts/untrusted.ts'
import { findWeakened } from '../../weakened-tests/find-weakened.ts'
import { checkoutNeeds } from '../check/checkout-needs.ts'
import { checkBranch, placeOf } from '../place-of.ts'
import type { Performed, Ports } from '../ports.ts'
import { mergedIn, otherLoops, taskItIsFor } from '../session/related-tasks.ts'
import { isStarted, nextSession, startSession } from '../session/start-session.ts'
import { waitBefore } from '../session/wait-before.ts'

const longestSessionLog = 60_000

/** Makes a clone for each reviewer, gathers the context that the configuration asks for, and starts all reviewers at once. */
export async function startReviewer(
  step: Step & { do: 'review' },
  loop: Loop,
  ports: Ports,
  signal: AbortSignal,
): Promise<Performed> {
  const { cycle, attempt, ask, notBefore, seats } = step
  if (notBefore && (await waitForSeat(notBefore, step, loop, ports, signal)) === 'changed')
    return { events: [] }
  if (!loop.work.head) throw new Error(`loop ${loop.id} has nothing to review`)
  const { tree } = loop.work.head
  // In a review of another task's work, no developer or gate has created the branch that keeps this work.
  if (!loop.turn.developer) await ports.vcs.openWorktree(placeOf(loop), checkoutNeeds(loop, ports), signal)
  // This comes first, because the reviewer's changes are found by comparing with this state of the branch.
  await checkBranch(loop, ports)
  const asked = seats ?? [{ seat: null, attempt, ask, prompt: step.prompt }]
  const started = await Promise.all(asked.map((one) => startSeat({ ...one, cycle, tree }, loop, ports)))
  const unpaid = started.find((one) => !isStarted(one))
  if (unpaid) {
    // Either all seats start or none, because an incomplete panel decides nothing.
    for (const { clone } of started) await ports.vcs.removeCheckout(clone)
    return { events: unpaid.events }
  }
  const maxCycles = loop.policy?.maxCycles ?? 0
  const who = seats && { seats: seats.map(({ seat }) => seat) }
  const reviewing = { cycle, attempt, maxCycles, tree, ask, ...who }
  return {
    events: [{ type: 'loop.reviewing', data: reviewing }, ...started.flatMap(({ events }) => events)],
    afterwards: async () => void (await Promise.all(started.map(({ afterwards }) => afterwards?.()))),
  }
}

/** If several have to wait, waits for the earliest time only. Then the next step is decided again. */
function waitForSeat(
  notBefore: string,
  { seats }: Step & { do: 'review' },
  loop: Loop,
  ports: Ports,
  signal: AbortSignal,
): Promise<'over' | 'changed'> {
  const number = seats?.[0]?.seat
  const seat = loop.review.panel.find((other) => other.seat === number)
  if (!seat) return waitBefore(notBefore, 'reviewer', loop, ports, signal)
  const settings: Pick<Ports['settings'], 'cast'> = {
    cast: (role, task) => ports.settings.cast(role, task, seat.seat),
  }
  const { tries, at } = seat
  const waiting = { ...loop, tries, panel: [], asks: { ...loop.review.asks, at } }
  return waitBefore(notBefore, 'reviewer', waiting, { ...ports, settings }, signal)
}

/** The request to one reviewer: the only one, or that of a seat. */
interface Asked {
  seat: number | null
  attempt: number
  ask: string | null
  prompt: PromptForm
  cycle: number
  tree: string
}

async function startSeat(asked: Asked, loop: Loop, ports: Ports): Promise<Performed & { clone: string }> {
  const { seat, cycle, attempt, tree } = asked
  const session = seat === null ? nextSession(loop) : `${nextSession(loop)}p${seat}`
  const [clone, { prompt, files }] = await Promise.all([
    ports.vcs.openClone(`${session}.${loop.version}`, placeOf(loop), tree),
    renderPrompt(session, asked, loop, ports),
  ])
  const review = `${session}-review`
  const { reviewCommand } = ports.settings
  const started = await startSession(
    {
      session,
      role: 'reviewer',
      ...(seat !== null && { beside: { kind: 'panel', seat } }),
      iteration: loop.turn.iteration,
      cycle,
      attempt,
      cwd: clone.path,
      prompt,
      files,
      limitMs: ports.settings.limitsFor(loop.task).review,
      reviewed: clone.state,
      command: reviewCommand.command,
      leads: reviewCommand.asks.by === 'agent' ? reviewCommand.command : null,
      announce: [{ type: 'review.started', data: { review, cycle, attempt, session, tree } }],
    },
    loop,
    ports,
  )
  return { ...started, clone: clone.state.clone }
}

/** The prompt, and files for everything that does not fit into it. */
async function renderPrompt(
  session: string,
  { seat, cycle, ask, prompt: form, tree }: Asked,
  loop: Loop,
  ports: Ports,
): Promise<{ prompt: string; files: Record<string, string> }> {
  const { context } = ports.settings
  const { agent } = ports.settings.cast('reviewer', loop.task, seat ?? 1)
  const folder = ports.attempts.filesFolder(session)
  const room = agent.room ?? usualRoom
  const before = treeBefore(loop, cycle)
  const [diff, sinceLast] = await Promise.all([
    ports.vcs.diff(placeOf(loop), tree),
    before === null ? null : ports.vcs.diffTrees(before, tree),
  ])
  const proof = await proofHere(loop, ports)
  const brief: ReviewerBrief = {
    id: loop.id,
    task: loop.task,
    of: await taskItIsFor(loop, ports),
    depth: loop.policy?.depth ?? 'standard',
    cycle,
    ask,
    open: loop.review.ledger.filter((issue) => issue.status === 'open'),
    waived: loop.review.ledger.filter((issue) => issue.status === 'waived'),
    tree,
    proof,
    mergedIn: await mergedIn(loop, tree, folder, ports),
    diff,
    weakened: findWeakened(diff.text, mostFacts),
    room,
    diffFile: `${folder}/${changeFile}`,
    sinceLast,
    gates: (loop.check.gates?.results ?? []).filter(({ name }) =>
      name === 'lint' ? context.lintResults : context.testResults,
    ),
    include: context,
    sessionLog: context.sessionLog ? await developerLog(loop, ports) : null,
    others: await otherLoops(loop, ports),
    runsGates: hasTools(agent, 'reviewer') && (loop.policy?.gates ?? []).length > 0,
    instructions: ports.settings.instructionsFor(agent, 'reviewer', proof === 'off' ? 'not run' : 'run'),
  }
  const { command, asks } = ports.settings.reviewCommand
  // An agent recognises its own command only at the very beginning of the prompt.
  const askedBy = (prompt: string) => (asks.by === 'agent' ? `${command}\n\n${prompt}` : prompt)
  const whole = reviewerPrompt(brief, asks)
  const merges = context.gitDiff && wholeMerges(brief.mergedIn, form === 'whole' ? room : room * shortShare)
  const beside = merges ? { [mergesFile]: merges } : {}
  if (form === 'whole')
    return {
      prompt: askedBy(whole),
      files: { ...beside, ...(isWhole(diff, room) || !context.gitDiff ? {} : { [changeFile]: diff.text }) },
    }
  const { task, of, open, waived, sessionLog } = brief
  const short = {
    ...shortenTexts({ task, of, open, waived, sessionLog }),
    room: Math.floor(room * shortShare),
  }
  return {
    prompt: askedBy(withNotice(reviewerPrompt({ ...brief, ...short }, asks), `${folder}/${wholePromptFile}`)),
    files: { ...beside, [changeFile]: diff.text, [wholePromptFile]: whole },
  }
}

/** A reviewer is asked for witnesses only if they can be run. */
async function proofHere({ policy }: Loop, { sandbox }: Ports): Promise<Proof> {
  if (!policy || policy.proof === 'off') return 'off'
  return (await sandbox.withoutNetwork()).kind === 'works' ? policy.proof : 'off'
}

/** The developer's text in its latest session, for projects with `review.blind` off. */
async function developerLog(loop: Loop, ports: Ports): Promise<string | null> {
  const sessions = await ports.archive.sessions(loop.id)
  const latest = sessions.findLast((session) => session.role === 'developer' && session.status === 'done')
  if (!latest) return null
  const messages = await ports.archive.messages(latest.id)
  const text = messages.map((message) => message.content).join('\n')
  return text ? headAndTail(text, longestSessionLog) : null
}
