/**
 * An agent that prints 100 MB: how fast the output is read, stored and read again, and how much memory Umpire needs for
 * it.
 */
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inScratch, milliseconds, round2, umpire } from './scratch.mjs'

const megabytes = 100
const line = `${'x'.repeat(1023)}\n`

export async function measureTranscript() {
  const quiet = await work(0)
  const loud = await work(megabytes)
  const seconds = (loud.ms - quiet.ms) / 1000
  return [
    { name: 'transcript of 100 MB: MB/s stored', ratio: round2(megabytes / seconds), limit: 'at least 40' },
    {
      name: 'transcript of 100 MB: MB/s read again',
      ratio: round2(megabytes / (loud.readMs / 1000)),
      limit: '',
    },
    {
      name: 'transcript of 100 MB: memory growth in MB',
      ratio: round2(loud.peakMb - quiet.peakMb),
      limit: 150,
    },
  ]
}

function work(size) {
  return inScratch(config('./printer.mjs'), async ({ folder, run }) => {
    const text = line.repeat(1024)
    writeFileSync(
      join(folder, 'printer.mjs'),
      `import { writeFileSync, writeSync } from 'node:fs'
       writeFileSync('work.txt', 'done')
       const text = Buffer.from(${JSON.stringify(text.slice(0, 1024))}.repeat(1024))
       for (let i = 0; i < ${size}; i++) for (let at = 0; at < text.length; ) at += writeSync(1, text, at)`,
    )
    run('add', 'Talk', '--no-review')
    let peakMb = 0
    const ms = await milliseconds(async () => {
      const child = spawn(process.execPath, [umpire, 'work'], { cwd: folder, stdio: 'ignore' })
      const timer = setInterval(() => {
        peakMb = Math.max(peakMb, peakMemoryMb(child.pid))
      }, 20)
      await new Promise((done) => child.once('exit', done))
      clearInterval(timer)
    })
    const readMs = await milliseconds(
      () =>
        new Promise((done) => {
          spawn(process.execPath, [umpire, 'log', '1', '--raw'], {
            cwd: folder,
            stdio: ['ignore', 'pipe', 'ignore'],
          })
            .once('exit', done)
            .stdout.resume()
        }),
    )
    return { ms, readMs, peakMb }
  })
}

export function config(agent) {
  return `roles: { developer: one, reviewer: one }\nagents: { one: { command: [node, ${agent}] } }\n`
}

function peakMemoryMb(pid) {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}
