/**
 * The cost of waiting: the CPU time of `umpire work` with an agent that sleeps ten seconds, against one that does not.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inScratch, umpire } from './scratch.mjs'
import { cpuMs } from './status.mjs'
import { config } from './transcript.mjs'

export async function measureIdle() {
  const [asleep, awake] = [await cpuOf(10_000), await cpuOf(0)]
  return {
    name: 'an agent asleep for 10 s: CPU in ms',
    ratio: asleep - awake,
    limit: 100,
    bareMs: awake,
    umpireMs: asleep,
  }
}

function cpuOf(ms) {
  return inScratch(config('./sleeper.mjs'), async ({ folder, run }) => {
    const script = `setTimeout(() => {}, ${ms}); (await import('node:fs')).writeFileSync('work.txt', 'done')`
    writeFileSync(join(folder, 'sleeper.mjs'), script)
    run('add', 'Sleep', '--no-review')
    return cpuMs(folder, umpire, 'work')
  })
}
