/** Checks the `.umpire` folder of a repository and its database. Creates neither. */

import { randomBytes } from 'node:crypto'
import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs'
import { link, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { databasePath, type Repository } from '../app/repository.ts'
import { listed } from '../core/listed.ts'
import { runningSessions } from '../core/loop.ts'
import { codeOf } from '../lib/error-code.ts'
import { inspectDatabase } from '../store/sqlite/database.ts'
import type { Store } from '../store/store.ts'
import { isHomeExcluded } from '../vcs/git/repository.ts'
import { doubtful, type Finding, fine, orWrong, wrong } from './finding.ts'

export async function examineHome(repository: Repository, depth: 'quick' | 'full'): Promise<Finding[]> {
  const { home } = repository
  const name = '.umpire'
  if (!existsSync(home)) {
    if (!isWritable(dirname(home)))
      return [wrong(name, `${dirname(home)} is not writable`, 'Give yourself write permission there.')]
    return [fine(name, `${home} does not exist yet; the first task creates it`)]
  }
  if (!statSync(home).isDirectory()) return [wrong(name, `${home} is not a folder`, 'Move it away.')]
  if (!isWritable(home))
    return [wrong(name, `${home} is not writable`, 'Give yourself write permission there.')]
  return [
    fine(name, `${home} is writable`),
    await examineExclusion(repository),
    await examineLinks(home),
    ...(await orWrong('database', () => examineDatabase(databasePath(repository), depth))),
  ]
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}

async function examineExclusion({ home, env }: Repository): Promise<Finding> {
  const name = 'excluded'
  if (await isHomeExcluded(home, env)) return fine(name, 'git ignores .umpire')
  return doubtful(
    name,
    'git does not ignore .umpire, so it shows up in git status and may be committed',
    'Add the line /.umpire/ to .git/info/exclude.',
  )
}

/** Tries to create a hard link, because no system says beforehand whether that works. */
async function examineLinks(home: string): Promise<Finding> {
  const name = 'hard links'
  const probe = join(home, `.doctor-${randomBytes(6).toString('hex')}`)
  try {
    await writeFile(probe, '', { flag: 'wx', mode: 0o600 })
    await link(probe, `${probe}-link`)
    return fine(name, 'they work in .umpire')
  } catch (error) {
    const code = codeOf(error) ?? error
    return doubtful(name, `they don't work in .umpire (${code}); Umpire uses O_EXCL instead`, null)
  } finally {
    await rm(probe, { force: true })
    await rm(`${probe}-link`, { force: true })
  }
}

async function examineDatabase(path: string, depth: 'quick' | 'full'): Promise<Finding[]> {
  const name = 'database'
  if (!existsSync(path)) return [fine(name, 'does not exist yet; the first task creates it')]
  const { version, latest, faults } = await inspectDatabase(path, depth)
  if (faults.length > 0) {
    const text = [`${path} is damaged:`, ...faults].join('\n')
    return [wrong(name, text, `Restore a backup, or move it away to start again: mv ${path} ${path}.damaged`)]
  }
  const checked = depth === 'full' ? 'intact, including its indexes' : 'intact'
  const format = version === latest ? `format ${version}` : `format ${version}, will be upgraded to ${latest}`
  return [fine(name, `${checked}, ${format}`)]
}

/** Leftovers in `.umpire` that belong to nothing that still runs. */
export async function examineLeftovers({ home }: Repository, store: Store): Promise<Finding[]> {
  const { archive } = store
  const worktrees = new Set<string>()
  const active = new Set<string>()
  for (const { id } of await archive.tasks()) {
    const loop = await archive.loop(id)
    if (loop?.work.place) worktrees.add(loop.work.place.worktree)
    for (const { session, reviewed } of loop ? runningSessions(loop) : []) {
      active.add(session)
      if (reviewed) active.add(reviewed.clone)
    }
    if (loop?.standing.status === 'in_progress') active.add(String(id))
  }
  // `7-3` is a session of task 7, `7.12-gate` a command that its worker runs, `7-baseline` a checkout for one.
  const isActive = (name: string) => {
    const [, task = ''] = /^(\d+)[-.]/.exec(name) ?? []
    return active.has(name) || (!/^\d+-(\d+(p\d+)?|c\d+\.\d+)$/.test(name) && active.has(task))
  }
  const transient = ['attempts', 'clones', 'scratch'].flatMap((folder) =>
    namesIn(join(home, folder))
      .filter((name) => !isActive(name))
      .map((name) => `${folder}/${name}`),
  )
  const forsaken = namesIn(join(home, 'worktrees'))
    .map((name) => `worktrees/${name}`)
    .filter((name) => !worktrees.has(name))
  return [
    transient.length === 0
      ? fine('attempts', 'no leftovers')
      : doubtful(
          'attempts',
          `left over without a running session: ${listed(transient, 10)}`,
          'The next umpire work removes them.',
        ),
    forsaken.length === 0
      ? fine('worktrees', 'no leftovers')
      : doubtful(
          'worktrees',
          `left over without a task: ${listed(forsaken, 10)}`,
          `If you do not need its content: git worktree remove --force ${join(home, forsaken[0] ?? '')}`,
        ),
  ]
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort()
  } catch {
    return []
  }
}
