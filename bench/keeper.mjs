/** The memory of a keeper while its agent sleeps: the keeper, its watcher and its timer together. */
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { inScratch, round2, umpire } from './scratch.mjs'
import { config } from './transcript.mjs'

export async function measureKeeper() {
  return inScratch(config('./sleeper.mjs'), async ({ folder, run }) => {
    writeFileSync(join(folder, 'sleeper.mjs'), "console.log('asleep'); setTimeout(() => {}, 60_000)")
    run('add', 'Sleep', '--no-review')
    const child = spawn(process.execPath, [umpire, 'work'], { cwd: folder, stdio: 'ignore' })
    const ended = new Promise((done) => child.once('exit', done))
    let kept = []
    while (kept.length < 3) {
      await sleep(100)
      kept = keepersIn(folder)
    }
    child.kill('SIGINT')
    await ended
    const total = kept.reduce((sum, { kb }) => sum + kb, 0)
    return { name: 'a keeper: MB resident, shared pages counted', ratio: round2(total / 1024), limit: 5 }
  })
}

/** The keeper's own processes have its mark under a name that its agent does not have. */
function keepersIn(folder) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const environment = readFileSync(`/proc/${pid}/environ`, 'utf8')
        if (!environment.includes('UMPIRE_KEEPER=') || !environment.includes(folder)) return []
        return [
          { pid, kb: Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) },
        ]
      } catch {
        return []
      }
    })
}
