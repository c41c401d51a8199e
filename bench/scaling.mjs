/**
 * Tasks whose agents only sleep, many at once: the wall time against the ideal without any overhead, the memory of
 * Umpire itself, and its own CPU time (without git and the agents' keepers).
 */
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inScratch, round2, umpire } from './scratch.mjs'

const sleepMs = 1_000
/** One of each role. */
const sessionsPerTask = 2

const agent = `#!/bin/sh
cat >/dev/null
sleep ${sleepMs / 1000}
if [ "$UMPIRE_ROLE" = developer ]; then echo "$UMPIRE_TASK" >"file-$UMPIRE_TASK"; else echo APPROVED; fi
`

export async function measureScaling() {
  const results = []
  for (const parallel of [1, 8, 32, 100]) results.push(...(await measure(parallel)))
  return results
}

async function measure(parallel) {
  const tasks = Math.max(4, parallel)
  const config = `
roles: { developer: sleeper, reviewer: sleeper }
agents: { sleeper: { command: [sh, agent.sh] } }
parallel: ${parallel}
`
  return inScratch(config, async ({ folder, git, run }) => {
    writeFileSync(join(folder, 'agent.sh'), agent)
    git('add', '.')
    git('commit', '-q', '-m', 'Agent')
    for (let task = 1; task <= tasks; task++) run('add', `Task ${task}`)
    const { ms, peakKb, cpuMs } = await watched(folder)
    const idealMs = Math.ceil(tasks / parallel) * sessionsPerTask * sleepMs
    const name = `${tasks} tasks, ${parallel} at once`
    return [
      {
        name: `${name}: time against the ideal`,
        ratio: round2(ms / idealMs),
        limit: 1.15,
        bareMs: idealMs,
        umpireMs: ms,
      },
      {
        name: `${name}: memory in MB`,
        ratio: Math.round(peakKb / 1024),
        limit: 300,
        bareMs: null,
        umpireMs: null,
      },
      {
        name: `${name}: cores used by Umpire`,
        ratio: round2(cpuMs / ms),
        limit: 1,
        bareMs: ms,
        umpireMs: cpuMs,
      },
    ]
  })
}

/** Runs `umpire work` and samples its process while it runs. */
async function watched(cwd) {
  const began = performance.now()
  const child = spawn(process.execPath, [umpire, 'work'], { cwd, stdio: 'ignore' })
  const seen = { peakKb: 0, cpuMs: 0 }
  const look = () => {
    try {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
      seen.peakKb = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? seen.peakKb)
      // utime and stime, in ticks of 10 ms, are the 12th and 13th after the name, which is in brackets.
      const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1].split(' ')
      seen.cpuMs = (Number(fields[11]) + Number(fields[12])) * 10
    } catch {}
  }
  const timer = setInterval(look, 50)
  const code = await new Promise((done) => child.once('exit', done))
  clearInterval(timer)
  if (code !== 0) throw new Error(`umpire work ended with ${code}`)
  return { ms: Math.round(performance.now() - began), ...seen }
}
