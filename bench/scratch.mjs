/** A throwaway repository for a benchmark, and the arithmetic that all benchmarks need. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const umpire = fileURLToPath(new URL('../dist/main.js', import.meta.url))
export const beside = (name) => fileURLToPath(new URL(name, import.meta.url))

export async function inScratch(config, use) {
  const folder = mkdtempSync(join(tmpdir(), 'umpire-bench-'))
  const git = (...args) => execFileSync('git', args, { cwd: folder, stdio: 'ignore' })
  const run = (...args) =>
    execFileSync(process.execPath, [umpire, ...args], { cwd: folder, encoding: 'utf8' })
  try {
    git('init', '-q', '--initial-branch=main')
    git('config', 'user.name', 'Bench')
    git('config', 'user.email', 'bench@localhost')
    writeFileSync(join(folder, 'work.txt'), 'start\n')
    if (config) writeFileSync(join(folder, 'umpire.yaml'), config)
    git('add', '.')
    git('commit', '-q', '-m', 'Start')
    return await use({ folder, git, run })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export function median(numbers) {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? 0
}

export function round2(number) {
  return Math.round(number * 100) / 100
}

export async function milliseconds(action) {
  const began = performance.now()
  await action()
  return Math.round(performance.now() - began)
}
