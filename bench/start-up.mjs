/**
 * The time that Umpire adds before an agent's first output: from the event that announces the session to the first line
 * of each real agent installed in e2e/clis, against the same command line without Umpire. Milliseconds, not a ratio.
 */
import { spawnSync } from 'node:child_process'
import { findIsolation } from '../scripts/isolation.mjs'
import { beside } from './scratch.mjs'

export function measureStartUp() {
  const [program, ...args] = [...findIsolation(), process.execPath, beside('./start-up-rounds.mjs')]
  const { status, stdout } = spawnSync(program, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (status !== 0) throw new Error('the agents could not be measured')
  return JSON.parse(stdout)
}
