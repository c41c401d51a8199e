/** What starting a session is for every role: a number, a one-time token, the announcement, and then the process. */

import { type Ability, hasTools } from '../../agents/agent.ts'
import { sessionFile } from '../../attempts/attempt.ts'
import type { NewEvent } from '../../core/event.ts'
import type { Loop } from '../../core/loop.ts'
import { voiceOf } from '../../core/session/fold-session.ts'
import { type Beside, isWriter, type ReviewedState, type Role } from '../../core/session/session.ts'
import { noTries } from '../../core/session/tries.ts'
import { withAbsolutePath } from '../../lib/process/with-absolute-path.ts'
import { sha256 } from '../../lib/text/sha256.ts'
import type { Performed } from '../performed.ts'
import type { Cast, Ports } from '../ports.ts'
import { confine } from './confine.ts'
import { digest, lookAround, surroundingsFile } from './look-around.ts'
import { reserve } from './reserve-budget.ts'

export interface SessionPlan {
  /** Its id, which is also the folder of its attempt. */
  session: string
  role: Role
  /** One of several that run at the same time. */
  beside?: Beside
  iteration: number
  cycle: number
  attempt: number
  cwd: string
  prompt: string
  limitMs: number
  reviewed: ReviewedState | null
  /** By which command a reviewer is asked, and the same where the prompt begins with it. */
  command?: string
  leads?: string | null
  /** What the agent may want to read beside its prompt, by name; in the session's own folder. */
  files?: Record<string, string>
  /** What is told before the session itself. */
  announce: NewEvent[]
}

/** The id of the loop's next session. */
export function nextSession(loop: Loop): string {
  return `${loop.id}-${loop.turn.sessions + 1}`
}

/** A session that could not be paid for is not among the events. */
export function isStarted({ events }: Performed): boolean {
  return events.some((event) => event.type === 'session.started')
}

export async function startSession(plan: SessionPlan, loop: Loop, ports: Ports): Promise<Performed> {
  const { session, beside } = plan
  const seat = beside?.kind === 'panel' ? beside.seat : 1
  const cast = ports.settings.cast(plan.role, loop.task, seat)
  const { agent, model, args, env } = cast
  const reserved = await reserve({ session, role: plan.role, agent: agent.name, model }, loop, ports)
  // Nothing of it is announced, so nothing is spent of the loop's attempts either.
  if (reserved.kind === 'refused') return { events: reserved.events }
  const token = ports.newToken()
  const { role, iteration, cycle, attempt, cwd, prompt, limitMs, reviewed } = plan
  const promptFile = ports.attempts.promptFile(session)
  const folder = ports.attempts.filesFolder(session)
  const can = (ability: Ability) => agent.abilities?.includes(ability) ?? false
  const resume = resumable(plan, cast, loop)
  const server = hasTools(agent, role) ? ports.settings.toolServer(folder, role) : null
  // A role that has none of the tools is spared the server.
  const tools = server && server.tools.length > 0 ? server : null
  const launch = agent.launch({
    // To an agent it is all the same for what it may write.
    role: isWriter(role) ? 'developer' : role,
    model,
    prompt,
    command: plan.leads ?? null,
    promptFile,
    cwd,
    args,
    env,
    folder,
    resume,
    tools,
    schema: can('structured') ? ports.settings.schemaFor(role) : null,
  })
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
  const whole = withAbsolutePath({ ...ports.settings.env, ...launch.env, ...identity, PWD: cwd })
  const program = { argv: launch.argv, session, role, cwd, env: whole }
  const { argv, confined } = await confine(program, cast, loop, ports)
  const before = isWriter(role) ? await lookAround(loop.task, confined, ports) : null
  const started: NewEvent = {
    type: 'session.started',
    data: {
      session,
      role,
      ...(beside && { beside }),
      iteration,
      cycle,
      attempt,
      agent: agent.name,
      model,
      prompt: ports.redact(prompt),
      // The journal keeps only the hash: who can read the journal can't hand in a review.
      tokenHash: sha256(token),
      limitMs,
      reservedUsd: reserved.usd,
      resumes: resume,
      tools: tools?.tools ?? [],
      confined,
      surroundings: before && digest(before, confined),
      ...(plan.command !== undefined && { command: plan.command }),
      reviewed,
    },
  }
  return {
    events: [...reserved.events, ...plan.announce, started],
    afterwards: () =>
      ports.attempts.start({
        id: session,
        argv,
        cwd,
        env: whole,
        stdin: launch.stdin ?? prompt,
        // The session's tools find here what they are bound to; the agent's command line holds no secret.
        files: {
          ...plan.files,
          ...launch.files,
          ...(before && { [surroundingsFile]: JSON.stringify(before) }),
          [sessionFile]: JSON.stringify({
            home: ports.settings.env.UMPIRE_HOME,
            tools: tools?.tools ?? [],
            ...identity,
          }),
        },
        limitMs,
      }),
  }
}

/**
 * A developer whose keeper vanished goes on where it was; a reviewer only where that is wished for, because its clone is
 * another one now. One that failed starts afresh, in case its session is the reason.
 */
function resumable(
  { role, beside }: SessionPlan,
  { agent, continueSession }: Cast,
  loop: Loop,
): string | null {
  const {
    turn: { conversations },
    review: { panel },
  } = loop
  const seat = beside?.kind === 'panel' ? panel.find((other) => other.seat === beside.seat) : undefined
  const tries = beside ? (seat?.tries ?? noTries) : loop.turn.tries
  const wanted = continueSession || (isWriter(role) && tries.losses > 0)
  const voice = voiceOf({ role, ...(beside && { beside }) })
  const conversation = voice === null ? undefined : conversations[voice]
  if (!agent.abilities?.includes('resume') || !wanted || tries.failures + tries.tooLong > 0) return null
  return conversation?.agent === agent.name ? conversation.id : null
}
