/**
 * Commands that only a person may run are refused inside an agent session, and inside the gates, setup commands and hooks
 * that Umpire runs, because an agent may have written the code that runs there. Umpire looks for their marks in the
 * environment of this process and of all its ancestors, so an agent can't remove them. (A process that gets another
 * parent escapes this. Only a sandbox prevents that.)
 */
import { join } from 'node:path'
import { UserError } from '../core/errors.ts'
import { ancestorsEnvironment } from '../lib/process/process-identity.ts'

/** The folder and the environment of a command. */
interface Place {
  cwd: string
  env: NodeJS.ProcessEnv
}

export async function refuseInSession(command: string, { cwd, env }: Place): Promise<void> {
  // The outermost session is the agent's own. A nearer one that differs was set to impersonate another session.
  const session = sessionsAround(env).at(-1)
  const home = ancestorsEnvironment('UMPIRE_HOME', env).at(-1)
  if (session !== undefined) {
    if (home) {
      const { noteRefusal } = await import('../attempts/hand-in.ts')
      await noteRefusal(join(home, 'attempts'), session, `umpire ${command}`)
    }
    throw new UserError(
      `Only a person may run "umpire ${command}". It is refused inside an agent session (${session}).`,
      'An agent may use umpire submit, umpire verdict and the commands that only read.',
    )
  }
  // The tests of a project may run Umpire in their own repositories. Only this repository is off limits.
  if (home !== undefined && (await belongsTo(home, { cwd, env }))) {
    throw new UserError(
      `Only a person may run "umpire ${command}". It is refused inside a command that Umpire runs.`,
      'Gates, setup commands and hooks may use umpire verdict and the commands that only read.',
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
