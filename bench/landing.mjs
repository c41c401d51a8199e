/**
 * Merges fifty approved branches into their base in a repository of 20,000 files, against fifty `git merge` calls in
 * one worktree. Without gates, whose cost is not Umpire's.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beside, inScratch, median, milliseconds, round2 } from './scratch.mjs'

const files = 20_000
const branches = 50
const perFolder = 200
const rounds = 3

const config = `
roles: { developer: writer, reviewer: writer }
agents: { writer: { command: [sh, ${beside('./writer.sh')}] } }
parallel: 8
`

export async function measureLanding() {
  return inScratch(config, async ({ folder, git, run }) => {
    fill(folder)
    git('add', '.')
    git('commit', '-q', '-m', 'Many files')
    for (let task = 1; task <= branches; task++) run('add', `Task ${task}`, '--no-review')
    run('work')
    const ids = Array.from({ length: branches }, (_, index) => String(index + 1))
    const heads = ids.map((id) => head(folder, id))
    // Landed work can't be landed again, so only the other side has several rounds.
    const bareMs = median(Array.from({ length: rounds }, () => mergeBare(folder, git, heads)))
    const umpireMs = await milliseconds(() => run('merge', ...ids))
    const missing = heads.filter((commit) => !isMerged(folder, commit))
    if (missing.length > 0) throw new Error(`${missing.length} branches were not merged`)
    return {
      name: `${branches} branches landed among ${files} files`,
      ratio: round2(umpireMs / bareMs),
      limit: 1.5,
      bareMs,
      umpireMs,
    }
  })
}

function fill(folder) {
  for (let file = 0; file < files; file++) {
    const below = join(folder, 'src', String(Math.floor(file / perFolder)))
    if (file % perFolder === 0) mkdirSync(below, { recursive: true })
    writeFileSync(join(below, `${file}.txt`), `file ${file}\n`)
  }
}

function head(folder, task) {
  const args = ['for-each-ref', '--format=%(objectname)', `refs/heads/umpire/${task}-*`]
  return execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim()
}

function isMerged(folder, commit) {
  return spawnSync('git', ['merge-base', '--is-ancestor', commit, 'main'], { cwd: folder }).status === 0
}

/** In an existing worktree, as a user would have one. */
function mergeBare(folder, git, heads) {
  const path = join(folder, '..', `bare-${process.pid}`)
  git('worktree', 'add', '-q', '--detach', path, 'main')
  const began = performance.now()
  try {
    for (const commit of heads) execFileSync('git', ['merge', '-q', '--no-edit', commit], { cwd: path })
    return Math.round(performance.now() - began)
  } finally {
    git('worktree', 'remove', '--force', path)
  }
}
