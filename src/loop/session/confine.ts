/** Decides whether an agent's process runs in the sandbox, and what it may write there. */
import { NoAgentError } from '../../core/errors.ts'
import type { Loop } from '../../core/loop.ts'
import { isWriter, type Role } from '../../core/session/session.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import type { Writable } from '../../vcs/worktrees.ts'
import { placeOf } from '../place-of.ts'
import type { Cast, Ports } from '../ports.ts'

export interface Program {
  argv: [string, ...string[]]
  session: string
  role: Role
  cwd: string
  /** The whole environment. */
  env: Record<string, string>
}

/** The command line to run, in the sandbox or not. */
export async function confine(
  { argv, session, role, cwd, env }: Program,
  cast: Cast,
  loop: Loop,
  ports: Ports,
): Promise<{ argv: [string, ...string[]]; confined: boolean }> {
  const { sandbox, attempts, vcs } = ports
  if (!(await isConfined(cast, sandbox))) return { argv, confined: false }
  // A reviewer must not change anything, not even its own clone.
  const place: Writable = isWriter(role) ? await vcs.writable(placeOf(loop)) : { writable: [], kept: [] }
  const bounds = {
    cwd,
    env,
    writable: [
      ...place.writable,
      ...attempts.agentsOwn(session),
      ...(isWriter(role) ? sandbox.caches(env) : []),
    ],
    state: cast.agent.stateFolders?.(env) ?? [],
    steering: cast.agent.leavesSteering ? (cast.agent.steering?.(env).paths ?? []) : [],
    kept: place.kept,
  }
  return { argv: await sandbox.enter(argv, bounds), confined: true }
}

/**
 * A built-in agent is confined wherever the sandbox works. Elsewhere only its own controls restrict it. A program whose
 * definition says `confine: true` runs in the sandbox or not at all: then this throws a NoAgentError.
 */
export async function isConfined(
  { agent, confine: wish }: Pick<Cast, 'agent' | 'confine'>,
  sandbox: Sandbox,
): Promise<boolean> {
  if (wish === 'never') return false
  const state = await sandbox.state()
  if (state.kind !== 'works' && wish === 'always') {
    throw new NoAgentError(
      `The agent ${agent.name} must run in a sandbox, and there is none: ${state.why}.`,
      `${state.fix} Or remove confine: true from agents.${agent.name} in umpire.yaml.`,
    )
  }
  if (state.kind !== 'works') return false
  // Some agents make their own sandbox for each command. If ours prevents that, all their commands would fail.
  return !agent.ownSandbox || (await sandbox.nests())
}
