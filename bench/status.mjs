/** The CPU time of `umpire status` against that of a Node that does nothing, both with all their child processes. */
import { spawnSync } from 'node:child_process'
import { inScratch, median, round2, umpire } from './scratch.mjs'

const rounds = 21

export async function measureStatus() {
  return inScratch(null, async ({ folder, run }) => {
    for (let task = 1; task <= 10; task++) run('add', `Task ${task}`)
    const nothing = []
    const status = []
    for (let round = 0; round < rounds; round++) {
      nothing.push(cpuMs(folder, '-e', '0'))
      status.push(cpuMs(folder, umpire, 'status'))
    }
    const [node, ours] = [median(nothing), median(status)]
    return {
      name: 'status: CPU against node -e 0',
      ratio: round2(ours / node),
      limit: 2.5,
      bareMs: node,
      umpireMs: ours,
    }
  })
}

/** User and system time of a command and its children, as the shell's own `times` counts it, in milliseconds. */
export function cpuMs(cwd, ...args) {
  const script = '"$0" "$@" >/dev/null 2>&1; times'
  const { stdout } = spawnSync('/bin/sh', ['-c', script, process.execPath, ...args], {
    cwd,
    encoding: 'utf8',
  })
  const [, children = ''] = stdout.trim().split('\n')
  const parts = [...children.matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, minutes, seconds]) => Number(minutes) * 60 + Number(seconds),
  )
  return Math.round(parts.reduce((sum, seconds) => sum + seconds, 0) * 1000)
}
