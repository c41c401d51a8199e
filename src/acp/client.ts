/**
 * The program that speaks the Agent Client Protocol for Umpire. Umpire expects an agent to be a process that gets a
 * prompt on standard input and prints lines. An ACP agent is a process that answers requests. This program translates
 * between the two.
 *
 *   node acp-client.js LAUNCH_FILE < PROMPT
 *
 * `client-protocol.ts` describes its input and output. It exits with 0 if the agent finished its turn and with 1
 * if it did not. After a signal it exits like any program that a signal ended.
 */

import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { codeOf } from '../lib/error-code.ts'
import { startAgent } from './agent-process.ts'
import type { AcpLaunch, AcpLine } from './client-protocol.ts'

/** Time for a finished agent to save its session. */
const patienceMs = 500

const launch = readLaunch(process.argv[2])
const stop = new AbortController()
const stoppedBy = new Promise<NodeJS.Signals>((done) => {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      stop.abort(new Error(`The agent was told to stop (${signal}).`))
      done(signal)
    })
  }
})

// Agents take long to start, so the protocol library is loaded in the meantime.
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
    const code = codeOf(error)
    if (code !== undefined)
      return refuse(`${path} can't be read (${code}). Name the file that the run was given.`)
  }
  return refuse(`${path} has been changed since Umpire wrote it. Do not change the files of a session.`)
}

function refuse(words: string): never {
  process.stderr.write(`umpire acp-client: ${words}\n`)
  process.exit(1)
}

function print(line: AcpLine): void {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

/** Exits at once, because processes that the agent left behind may keep our pipes to it open. */
async function leave(code: number): Promise<void> {
  await new Promise<void>((done) => process.stdout.write('', () => done()))
  if (!stop.signal.aborted) process.exit(code)
  const signal = await stoppedBy
  process.removeAllListeners(signal)
  process.kill(process.pid, signal)
}
