/** Starts checkpoints: reviews of unfinished work by a separate reviewer, in parallel with everything else. */
import { hasTools, usualRoom } from '../../agents/agent.ts'
import type { NewEvent } from '../../core/event.ts'
import type { Loop } from '../../core/loop.ts'
import type { Step } from '../../core/step.ts'
import { checkpointPrompt } from '../../prompts/checkpoint.ts'
import { changeFile, isWhole } from '../../prompts/render-change.ts'
import { placeOf } from '../place-of.ts'
import type { Checkpoints, Performed, Ports } from '../ports.ts'
import { otherLoops, taskItIsFor } from '../session/related-tasks.ts'
import { isStarted, startSession } from '../session/start-session.ts'

/** When the loop reaches its interval, all other loops get a checkpoint, and so does this one unless it claims to be done. */
export async function takeCheckpoint(
  { iteration, own }: Step & { do: 'checkpoint' },
  loop: Loop,
  ports: Ports,
  signal: AbortSignal,
): Promise<Performed> {
  const by = { task: loop.id, iteration }
  // The others are told before this is recorded. A loop that is told twice starts only one checkpoint.
  ports.checkpoints.reach(by)
  const reached: NewEvent = { type: 'loop.interval', data: { iteration, cycle: loop.review.cycle + 1 } }
  const started = own ? await startCheckpoint(by, loop.work.head?.tree ?? null, loop, ports, signal) : null
  if (!started) return { events: [reached] }
  return { events: [reached, ...started.events], afterwards: started.afterwards }
}

export interface StartedCheckpoint {
  session: string
  events: NewEvent[]
  /** Runs once the events are recorded, or instead if there are none. */
  afterwards: () => Promise<void>
  undo: () => Promise<void>
}

/** Starts a checkpoint of a tree, or of the current worktree. Null if there is nothing to review, or no budget for it. */
export async function startCheckpoint(
  by: { task: number; iteration: number },
  committed: string | null,
  loop: Loop,
  ports: Ports,
  signal: AbortSignal,
): Promise<StartedCheckpoint | null> {
  const { vcs, settings, attempts } = ports
  const place = placeOf(loop)
  const tree = committed ?? (await vcs.snapshot(place, signal))
  const diff = await vcs.diff(place, tree)
  if (diff.files.length === 0) return null
  // Each interval starts one checkpoint per loop, so this id is never used twice.
  const session = `${loop.id}-c${by.task}.${by.iteration}`
  const { agent } = settings.cast('reviewer', loop.task)
  const room = agent.room ?? usualRoom
  const { context } = settings
  const prompt = checkpointPrompt({
    id: loop.id,
    task: loop.task,
    of: await taskItIsFor(loop, ports),
    iteration: loop.turn.iteration,
    diff,
    room,
    diffFile: `${attempts.filesFolder(session)}/${changeFile}`,
    include: context,
    others: await otherLoops(loop, ports),
    runsGates: hasTools(agent, 'reviewer') && (loop.policy?.gates ?? []).length > 0,
    instructions: settings.instructionsFor(agent, 'reviewer'),
  })
  const clone = await vcs.openClone(`${session}.${loop.version}`, place, tree)
  const started = await startSession(
    {
      session,
      role: 'reviewer',
      beside: { kind: 'checkpoint', by: by.task, iteration: by.iteration },
      iteration: loop.turn.iteration,
      cycle: loop.review.cycle + 1,
      attempt: 1,
      cwd: clone.path,
      prompt,
      files: isWhole(diff, room) || !context.gitDiff ? {} : { [changeFile]: diff.text },
      limitMs: settings.limitsFor(loop.task).review,
      reviewed: clone.state,
      command: 'checkpoint',
      announce: [],
    },
    loop,
    ports,
  )
  const undo = () => vcs.removeCheckout(clone.state.clone)
  if (isStarted(started))
    return { session, events: started.events, afterwards: async () => started.afterwards?.(), undo }
  await undo()
  return null
}

/** The loops of this process that can get checkpoints. */
export function createCheckpoints(): Checkpoints {
  const joined = new Map<number, Parameters<Checkpoints['join']>[1]>()
  return {
    join(task, look) {
      joined.set(task, look)
      return () => {
        if (joined.get(task) === look) joined.delete(task)
      }
    },
    reach(by) {
      for (const [task, look] of joined) if (task !== by.task) look(by)
    },
  }
}
