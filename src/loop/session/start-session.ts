/** Starts a session, the same way for every role: a number, a one-time token, the announcement, and then the process. */
import { type Ability, hasTools } from '../../agents/agent.ts'
import { sessionFile } from '../../attempts/attempt.ts'
import type { NewEvent } from '../../core/event.ts'
import type { Loop } from '../../core/loop.ts'
import { voiceOf } from '../../core/session/fold-session.ts'
import { type Beside, isWriter, noTries, type ReviewedState, type Role } from '../../core/session/session.ts'
import { withAbsolutePath } from '../../lib/process/exec.ts'
import { sha256 } from '../../lib/text/sha256.ts'
import type { Cast, Performed, Ports } from '../ports.ts'
import { confine } from './confine.ts'
import { digest, lookAround, surroundingsFile } from './look-around.ts'
import { reserveBudget } from './reserve-budget.ts'

export interface SessionPlan {
  /** Its id, which is also the folder of its attempt. */
  session: string
  role: Role
  /** Set if this is one of several sessions that run in parallel. */
  beside?: Beside
  iteration: number
  cycle: number
  attempt: number
  cwd: string
  prompt: string
  limitMs: number
  reviewed: ReviewedState | null
  /** The command that asks a reviewer. `leads` is the same command if the prompt starts with it, otherwise null. */
  command?: string
  leads?: string | null
  /** Files for the agent in addition to its prompt, by name. They are in the session's own folder. */
  files?: Record<string, string>
  /** Events that come before the session itself. */
  announce: NewEvent[]
}

/** The id of the loop's next session. */
export function nextSession(loop: Loop): string {
  return `${loop.id}-${loop.turn.sessions + 1}`
}

/** If the budget does not allow the session, the events do not contain it. */
export function isStarted({ events }: Performed): boolean {
  return events.some((event) => event.type === 'session.started')
}

export async function startSession(plan: SessionPlan, loop: Loop, ports: Ports): Promise<Performed> {
  const { session, beside } = plan
  const seat = beside?.kind === 'panel' ? beside.seat : 1
  const cast = ports.settings.cast(plan.role, loop.task, seat)
  const { agent, model, args, env } = cast
  const reserved = await reserveBudget({ session, role: plan.role, agent: agent.name, model }, loop, ports)
  // The session is not announced, so it does not count as one of the loop's attempts.
  if (reserved.kind === 'refused') return { events: reserved.events }
  const token = ports.newToken()
  const { role, iteration, cycle, attempt, cwd, prompt, limitMs, reviewed } = plan
  const promptFile = ports.attempts.promptFile(session)
  const folder = ports.attempts.filesFolder(session)
  const can = (ability: Ability) => agent.abilities?.includes(ability) ?? false
  const resume = resumable(plan, cast, loop)
  const server = hasTools(agent, role) ? ports.settings.toolServer(folder, role) : null
  // A role without tools does not get the server.
  const tools = server && server.tools.length > 0 ? server : null
  const launch = agent.launch({
    // To its agent, a resolver is a developer: both may write the same files.
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
      // The journal stores only the hash, so a process that reads the journal can't hand in a review.
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
        // The session's tools read their identity from here. The agent's command line contains no secret.
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
 * A developer whose keeper vanished continues its session. A reviewer does so only if the settings ask for it, because it
 * has a new clone now. An agent that failed starts a new session, in case the old session is the cause.
 */
function resumable(
  { role, beside }: SessionPlan,
  { agent, continueSession }: Cast,
  loop: Loop,
): string | null {
  const { conversations } = loop.turn
  const { panel } = loop.review
  const seat = beside?.kind === 'panel' ? panel.find((other) => other.seat === beside.seat) : undefined
  const tries = beside ? (seat?.tries ?? noTries) : loop.turn.tries
  const wanted = continueSession || (isWriter(role) && tries.losses > 0)
  const voice = voiceOf({ role, ...(beside && { beside }) })
  const conversation = voice === null ? undefined : conversations[voice]
  if (!agent.abilities?.includes('resume') || !wanted || tries.failures + tries.tooLong > 0) return null
  return conversation?.agent === agent.name ? conversation.id : null
}
