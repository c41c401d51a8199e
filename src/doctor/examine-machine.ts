/** What Umpire needs from the machine, independent of the repository. */
import { existsSync } from 'node:fs'
import { delimiter } from 'node:path'
import { packageFile } from '../lib/file/package-files.ts'
import { exec, findProgram } from '../lib/process/exec.ts'
import { hasProc } from '../lib/process/process-identity.ts'
import { openBwrap } from '../sandbox/bwrap.ts'
import { doubtful, type Finding, fine, wrong } from './finding.ts'

/** Older versions may work but are untested. */
const oldestTriedGit = [2, 30] as const

export async function examineMachine(env: NodeJS.ProcessEnv): Promise<Finding[]> {
  return [
    fine('node', `${process.version} at ${process.execPath}`),
    await examineGit(env),
    examineKeeper(env),
  ]
}

async function examineGit(env: NodeJS.ProcessEnv): Promise<Finding> {
  const name = 'git'
  const path = findProgram('git', env.PATH)
  if (path === null) return wrong(name, 'there is no git on the PATH', 'Install git.')
  const { code, stdout, stderr } = await exec([path, '--version'], { env, limitMs: 10_000 })
  const [, major, minor] = /^git version (\d+)\.(\d+)/.exec(stdout.toString('utf8')) ?? []
  if (code !== 0 || major === undefined || minor === undefined) {
    return wrong(name, `${path} --version failed: ${stderr.trim()}`, 'Reinstall git.')
  }
  const version = `${major}.${minor} at ${path}`
  const [oldMajor, oldMinor] = oldestTriedGit
  const old = Number(major) < oldMajor || (Number(major) === oldMajor && Number(minor) < oldMinor)
  if (!old) return fine(name, version)
  return doubtful(
    name,
    `${version} is older than the tested versions`,
    `Update to ${oldMajor}.${oldMinor} or later.`,
  )
}

/** The keeper of an agent is a shell script. This checks the programs that it calls. */
function examineKeeper(env: NodeJS.ProcessEnv): Finding {
  const name = 'keeper'
  const script = packageFile('keeper.sh')
  if (!existsSync(script)) return wrong(name, `${script} is missing`, 'Reinstall Umpire.')
  const path = ['/usr/bin', '/bin', env.PATH ?? ''].join(delimiter)
  // Without /proc Umpire finds the processes of an agent with ps.
  const needed = ['/bin/sh', 'ln', 'mv', 'rm', 'sleep', ...(hasProc ? ['grep'] : ['ps', 'awk'])]
  const missing = needed.filter((program) => findProgram(program, path) === null)
  if (missing.length > 0) {
    const what = missing.length === 1 ? 'is' : 'are'
    return wrong(
      name,
      `${missing.join(', ')} ${what} missing; Umpire needs ${missing.length === 1 ? 'it' : 'them'} to start agents`,
      'Install the basic tools of a POSIX system.',
    )
  }
  if (hasProc) return fine(name, 'agents run detached; Umpire finds their processes through /proc')
  return doubtful(
    name,
    'there is no /proc: a process that hides from ps may outlive its agent',
    'On Linux, mount /proc.',
  )
}

/** Tries the sandbox once, as a run does before its first agent. */
export async function examineSandbox(env: NodeJS.ProcessEnv): Promise<Finding> {
  const name = 'sandbox'
  const sandbox = openBwrap({ program: findProgram('bwrap', env.PATH), needed: [], env })
  const state = await sandbox.state()
  if (state.kind !== 'works') {
    const held =
      'agents run with your permissions and only their own restrictions, and Umpire runs no witnesses (review.proof)'
    return doubtful(name, `${state.why}; ${held}`, state.fix)
  }
  const within = (await sandbox.nests()) ? '' : ', but no other sandbox works inside it'
  const offline = await sandbox.withoutNetwork()
  if (offline.kind !== 'works') {
    const unproven = 'so Umpire runs no witnesses (review.proof)'
    return doubtful(name, `the sandbox can't cut off the network (${offline.why}), ${unproven}`, offline.fix)
  }
  return fine(name, `bwrap works, at ${state.by}${within}; agents can write only in their work folder`)
}
