/** What may be on the machine and need not: a sandbox, and the agents that people have. */
import { tmpdir } from 'node:os'
import { type ExecResult, exec } from '../lib/exec.ts'
import { oneLine } from '../lib/printable.ts'
import { type KnownAgent, knownAgents } from '../setup/known-agents.ts'
import { isNotYet } from './choose-agent.ts'
import { findProgram } from './find-program.ts'
import { doubtful, type Finding, fine } from './finding.ts'

/** An agent that starts a whole runtime to tell its version takes a while on a busy machine. */
const limitMs = 10_000

export async function examineTools(env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const [sandbox, ...agents] = await Promise.all([
    examineSandbox(env),
    ...knownAgents.map((agent) => examineAgent(agent, env)),
  ])
  const found = agents.filter((finding) => finding !== null)
  if (found.length > 0) return [sandbox, ...found]
  const names = knownAgents.map(({ name }) => name).join(', ')
  return [sandbox, fine('agents', `none of ${names} is on the PATH; any other program does as well`)]
}

/** As root bwrap keeps rights by which one could get out, unless they are dropped. */
const confined = [
  '--cap-drop',
  'ALL',
  '--unshare-pid',
  '--ro-bind',
  '/',
  '/',
  '--dev',
  '/dev',
  '--proc',
  '/proc',
]

async function examineSandbox(env: NodeJS.ProcessEnv): Promise<Finding> {
  const name = 'sandbox'
  const rights = 'agents run with your own rights'
  const path = findProgram('bwrap', env.PATH)
  if (path === null)
    return doubtful(
      name,
      `no sandbox: bwrap is not on the PATH; ${rights}`,
      'Install bubblewrap, by which agents can be confined.',
    )
  const ran = await run([path, ...confined, '--die-with-parent', 'true'], env)
  if (ran?.code === 0)
    return fine(name, `bwrap works, at ${path}; this version does not put agents into it yet`)
  return doubtful(
    name,
    `no sandbox: ${path} does not work here (${reasonOf(ran)}); ${rights}`,
    'Let it make user namespaces, which many containers forbid.',
  )
}

async function examineAgent({ name }: KnownAgent, env: NodeJS.ProcessEnv): Promise<Finding | null> {
  const path = findProgram(name, env.PATH)
  if (path === null) return null
  const ran = await run([path, '--version'], env)
  const version = oneLine(ran?.stdout.toString('utf8').trim().split('\n')[0] ?? '', 60)
  if (ran?.code !== 0 || version === '') {
    return doubtful(name, `${path} does not tell its version (${reasonOf(ran)})`, `Try it: ${name} --version`)
  }
  const yet = isNotYet(name) ? '; this version drives it as a program only, see agents in the docs' : ''
  return fine(name, `${version} at ${path}${yet}`)
}

/** Away from the repository, whose own settings are none of a version's business. Null when it can't be started. */
async function run(argv: [string, ...string[]], env: NodeJS.ProcessEnv): Promise<ExecResult | null> {
  return exec(argv, { cwd: tmpdir(), env, limitMs, maxBytes: 64 * 1024 }).catch(() => null)
}

function reasonOf(ran: ExecResult | null): string {
  if (ran === null) return 'it can not be started'
  if (ran.timedOut) return `no answer in ${limitMs / 1000} s`
  const words = oneLine(ran.stderr.trim().split('\n').at(-1) ?? '', 120)
  return words || (ran.code === 0 ? 'it printed nothing' : `exit code ${ran.code}`)
}
