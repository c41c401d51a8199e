/** What starting a session is for every role: a number, a one-time token, the announcement, and then the process. */
import type { NewEvent, ReviewedState, Role } from '../core/event.ts'
import type { Loop } from '../core/loop.ts'
import { sha256 } from '../lib/sha256.ts'
import type { Performed } from './perform.ts'
import type { Ports } from './ports.ts'

export interface SessionPlan {
  role: Role
  iteration: number
  cycle: number
  attempt: number
  cwd: string
  prompt: string
  limitMs: number
  reviewed: ReviewedState | null
  /** What is told before the session itself. */
  announce: NewEvent[]
}

/** The id of the loop's next session; also the folder of its attempt. */
export function nextSession(loop: Loop): string {
  return `${loop.id}-${loop.sessions + 1}`
}

export function startSession(plan: SessionPlan, loop: Loop, ports: Ports): Performed {
  const { agent, model, args, env } = ports.settings.cast(plan.role, loop.task)
  const session = nextSession(loop)
  const token = ports.newToken()
  const { role, iteration, cycle, attempt, cwd, prompt, limitMs, reviewed } = plan
  const promptFile = ports.attempts.promptFile(session)
  const launch = agent.launch({ role, model, prompt, promptFile, cwd, args, env })
  const started: NewEvent = {
    type: 'session.started',
    data: {
      session,
      role,
      iteration,
      cycle,
      attempt,
      agent: agent.name,
      model,
      prompt: ports.redact(prompt),
      // The journal keeps only the hash: who can read the journal can't hand in a review.
      tokenHash: sha256(token),
      limitMs,
      reviewed,
    },
  }
  const identity = {
    UMPIRE_ROLE: role,
    UMPIRE_TASK: String(loop.id),
    UMPIRE_TASK_TITLE: loop.task.title,
    UMPIRE_CYCLE: String(cycle),
    UMPIRE_ITERATION: String(iteration),
    UMPIRE_SESSION: session,
    UMPIRE_TOKEN: token,
    UMPIRE_PROMPT_FILE: promptFile,
  }
  return {
    events: [...plan.announce, started],
    afterwards: () =>
      ports.attempts.start({
        id: session,
        argv: launch.argv,
        cwd,
        env: { ...ports.settings.env, ...launch.env, ...identity, PWD: cwd },
        stdin: prompt,
        limitMs,
      }),
  }
}
