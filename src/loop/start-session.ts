/** What starting a session is for every role: a number, a one-time token, the announcement, and then the process. */
import type { Ability } from '../agents/agent.ts'
import { sessionFile } from '../attempts/attempt.ts'
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
  const { agent, model, args, env, continueSession } = ports.settings.cast(plan.role, loop.task)
  const session = nextSession(loop)
  const token = ports.newToken()
  const { role, iteration, cycle, attempt, cwd, prompt, limitMs, reviewed } = plan
  const promptFile = ports.attempts.promptFile(session)
  const folder = ports.attempts.filesFolder(session)
  const can = (ability: Ability) => agent.abilities?.includes(ability) ?? false
  const resume =
    can('resume') && (continueSession || loop.tries.losses > 0)
      ? resumable(plan.role, agent.name, loop)
      : null
  const launch = agent.launch({
    role,
    model,
    prompt,
    promptFile,
    cwd,
    args,
    env,
    folder,
    resume,
    tools: can('tools') ? ports.settings.toolServer(folder) : null,
    schema: role === 'reviewer' && can('structured') ? ports.settings.reviewSchema : null,
  })
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
      resumes: resume,
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
        // The session's tools find here what they are bound to; the agent's command line holds no secret.
        files: {
          ...launch.files,
          [sessionFile]: JSON.stringify({ home: ports.settings.env.UMPIRE_HOME, ...identity }),
        },
        limitMs,
      }),
  }
}

/** A developer whose keeper vanished goes on where it was; one that failed starts afresh, in case its session is the reason. */
function resumable(role: Role, agent: string, { conversation, tries }: Loop): string | null {
  if (role !== 'developer' || conversation?.agent !== agent || tries.failures > 0) return null
  return conversation.id
}
