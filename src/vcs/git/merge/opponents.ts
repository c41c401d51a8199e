/**
 * What a part conflicts with: the earlier parts that changed one of its files, and the branch, if it changed one since
 * the part left it. This goes by file names, so a renamed file may not be found.
 */
import type { GitContext } from '../context.ts'

interface Conflict {
  /** Where the branch is that all is merged into, and its name. */
  base: string
  branch: string
  /** What was merged before, in order. */
  steps: Step[]
  commit: string
  files: string[]
}

interface Step {
  key: string
  from: string
  to: string
}

/** The keys of parts, and the name of the branch, which stands also for what is not known. */
export async function findOpponents(git: GitContext, conflict: Conflict): Promise<string[]> {
  const { base, branch, steps, commit, files } = conflict
  if (steps.length === 0) return [branch]
  const asked = await git.run(['--bare', 'merge-base', base, commit], { cwd: git.common, ok: [0, 1] })
  const left = asked.stdout.toString('utf8').trim()
  const all = left === '' ? steps : [...steps, { key: branch, from: left, to: base }]
  const changed = await changedBy(git, all)
  const found = all.filter(({ to }) => files.some((file) => changed.get(to)?.has(file)))
  if (found.length > 0) return found.map(({ key }) => key)
  // What has all of the branch can't be in conflict with it.
  return left === base ? steps.map(({ key }) => key) : [branch]
}

/** For each commit that it led to, the names of what the step changed; a rename is both of its names. */
async function changedBy(git: GitContext, steps: Step[]): Promise<Map<string, Set<string>>> {
  const args = ['--bare', 'diff-tree', '--stdin', '-r', '--no-renames', '--name-only', '-z']
  const stdin = steps.map(({ from, to }) => `${to} ${from}\n`).join('')
  const { stdout } = await git.run(args, { cwd: git.common, stdin, maxBytes: 256 * 1024 * 1024 })
  const changed = new Map(steps.map(({ to }): [string, Set<string>] => [to, new Set()]))
  let names = new Set<string>()
  // The commit comes first, then what it changed; one that changed nothing is not named.
  for (const field of stdout.toString('utf8').split('\0')) {
    const begun = changed.get(field)
    if (begun) names = begun
    else names.add(field)
  }
  return changed
}
