/**
 * Moves that are a person's are refused inside an agent session, and inside the gates, set-ups and hooks that Umpire runs,
 * because what runs there an agent may have written. Their marks are looked for in this process and in all its
 * ancestors, so taking them out of the environment does not help. (A process that also got itself adopted by another
 * parent escapes this; only a sandbox holds it.)
 */
import { join } from 'node:path'
import { UserError } from '../core/errors.ts'
import { ancestorsEnvironment } from '../lib/process/process-identity.ts'

/** Where a command was called. */
interface Place {
  cwd: string
  env: NodeJS.ProcessEnv
}

export async function refuseInSession(command: string, { cwd, env }: Place): Promise<void> {
  // The outermost is the agent's own; a nearer one that differs was set to point at somebody else.
  const session = sessionsAround(env).at(-1)
  const home = ancestorsEnvironment('UMPIRE_HOME', env).at(-1)
  if (session !== undefined) {
    if (home) {
      const { noteRefusal } = await import('../attempts/hand-in.ts')
      await noteRefusal(join(home, 'attempts'), session, `umpire ${command}`)
    }
    throw new UserError(
      `"umpire ${command}" is a person's move and is refused inside an agent session (${session}).`,
      'An agent may use umpire submit, umpire verdict and the commands that only read.',
    )
  }
  // A project's own tests may well run Umpire, in repositories of their own; only this one is out of bounds.
  if (home !== undefined && (await belongsTo(home, { cwd, env }))) {
    throw new UserError(
      `"umpire ${command}" is a person's move and is refused inside a command that Umpire runs here.`,
      'Gates, set-ups and hooks may use umpire verdict and the commands that only read.',
    )
  }
}

/** The agent sessions that this process belongs to, nearest first. */
export function sessionsAround(env: NodeJS.ProcessEnv): string[] {
  return ancestorsEnvironment('UMPIRE_SESSION', env).filter((session) => session !== '')
}

async function belongsTo(home: string, { cwd, env }: Place): Promise<boolean> {
  const { openRepository } = await import('./repository.ts')
  return (await openRepository(cwd, env)).home === home
}
