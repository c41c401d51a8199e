/**
 * The program that speaks the Agent Client Protocol for Umpire: an agent of Umpire's is a process that gets a prompt
 * on its standard input and prints lines, an ACP agent is a process that one talks with, and this one is between them.
 *
 *   node acp-client.js LAUNCH_FILE < PROMPT
 *
 * What it is told is in `launch.ts`, what it prints in `line.ts`. It exits with 0 when the agent came to its end, with
 * 1 when it did not, and like any program that was ended by a signal.
 */
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { startAgent } from './agent-process.ts'
import type { AcpLaunch } from './launch.ts'
import type { AcpLine } from './line.ts'

/** An agent that is done may still write its session down. */
const patienceMs = 500

const launch = readLaunch(process.argv[2])
const stop = new AbortController()
const stoppedBy = new Promise<NodeJS.Signals>((done) => {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      stop.abort(new Error(`It was told to stop (${signal}).`))
      done(signal)
    })
  }
})

// Agents take long to start; the protocol is loaded meanwhile.
const agent = startAgent(launch)
try {
  const [{ converse }, prompt] = await Promise.all([import('./converse.ts'), text(process.stdin)])
  const end = await converse({ agent, launch, prompt, print }, stop.signal)
  await agent.end(stop.signal.aborted ? 0 : patienceMs)
  await leave(end === 'answered' ? 0 : 1)
} catch (error) {
  const words = error instanceof Error ? error.message : String(error)
  print({ type: 'failure', text: words, by: 'client', code: null, login: '', retry: null })
  await agent.end(0)
  await leave(1)
}

function readLaunch(path: string | undefined): AcpLaunch {
  if (path === undefined) return refuse('Wrong use. acp-client.js LAUNCH_FILE < PROMPT')
  try {
    const launch: AcpLaunch = JSON.parse(readFileSync(path, 'utf8'))
    if (Array.isArray(launch?.command) && launch.command.length > 0) return launch
  } catch (error) {
    if (error instanceof Error && 'code' in error)
      return refuse(`${path} can't be read (${error.code}). Name the file that the run was given.`)
  }
  return refuse(`${path} is not as Umpire wrote it. Leave the files of the session as they are.`)
}

function refuse(words: string): never {
  process.stderr.write(`umpire acp-client: ${words}\n`)
  process.exit(1)
}

function print(line: AcpLine): void {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

/** At once and not when nothing is left to do: what an agent leaves behind may hold the pipes to it open. */
async function leave(code: number): Promise<void> {
  await new Promise<void>((done) => process.stdout.write('', () => done()))
  if (!stop.signal.aborted) process.exit(code)
  const signal = await stoppedBy
  process.removeAllListeners(signal)
  process.kill(process.pid, signal)
}
