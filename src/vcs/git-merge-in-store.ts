/**
 * Merges parts among git's objects alone, where `git merge` in a checkout would come to the same: no hook has a say,
 * nothing is signed, no file is merged in a way of its own, and nothing conflicts. That is the usual case; a checkout for
 * each merge to work in is most of the price in a large repository.
 */
import { join } from 'node:path'
import { fallbackIdentity } from './git-commit.ts'
import { type GitContext, mainRoot } from './git-context.ts'
import { cleaned } from './git-merge.ts'
import { isMergeHookIn } from './git-merge-hooks.ts'

interface Part {
  key: string
  commit: string
  message: string
}

interface InStore {
  told: { key: string; kind: 'merged' | 'contained'; commit: string }[]
  head: string
}

/** Null where it has to be done in a checkout. What was made until then is known to nobody. */
export async function mergeInStore(
  git: GitContext,
  base: string,
  parts: Part[],
  signal: AbortSignal,
): Promise<InStore | null> {
  if (!(await isPlain(git))) return null
  const identity = await fallbackIdentity(git, mainRoot(git))
  const told: InStore['told'] = []
  const origins = new Set<string>()
  let head = base
  for (const { key, commit, message } of parts) {
    const shared = await mergeBases(git, head, commit)
    if (shared.length === 0) return null
    if (shared[0] === commit) {
      told.push({ key, kind: 'contained', commit: head })
      continue
    }
    for (const origin of shared) origins.add(origin)
    if (shared[0] === head) head = commit
    else {
      const tree = await mergeTrees(git, head, commit, signal)
      if (tree === null) return null
      const args = ['--bare', 'commit-tree', tree, '-p', head, '-p', commit, '-F', '-']
      const stdin = `${cleaned(message)}\n`
      const made = await git.run(args, { cwd: git.common, mode: 'write', env: identity, stdin }, signal)
      head = made.stdout.toString('utf8').trim()
    }
    told.push({ key, kind: 'merged', commit: head })
  }
  return (await isMergedPlainly(git, base, head, [...origins])) ? { told, head } : null
}

/** By these a merge becomes another than that of the two trees, or more than a commit. */
const steering = /^(core\.hookspath|hook\..*|pull\.twohead|merge\.(default|renormalize)|commit\.gpgsign)$/

async function isPlain(git: GitContext): Promise<boolean> {
  const args = ['config', '--list', '-z']
  const { stdout } = await git.run(args, { cwd: mainRoot(git) })
  for (const entry of stdout.toString('utf8').split('\0')) {
    const [name = '', value = 'true'] = entry.split('\n', 2)
    const isOff = name === 'commit.gpgsign' && /^(false|no|off|0|)$/i.test(value)
    if (steering.test(name) && !isOff) return false
  }
  return !(await isMergeHookIn(join(git.common, 'hooks')))
}

async function mergeBases(git: GitContext, one: string, other: string): Promise<string[]> {
  const args = ['--bare', 'merge-base', '--all', one, other]
  const { stdout } = await git.run(args, { cwd: git.common, ok: [0, 1] })
  return stdout.toString('utf8').split('\n').filter(Boolean)
}

/** Null for a conflict, and where git is too old to merge like this. */
async function mergeTrees(
  git: GitContext,
  ours: string,
  theirs: string,
  signal: AbortSignal,
): Promise<string | null> {
  const args = ['merge-tree', '--write-tree', '-z', '--no-messages', ours, theirs]
  const call = { cwd: mainRoot(git), mode: 'write', limitMs: git.limits.checkoutMs } as const
  const { code, stdout } = await git.run(args, { ...call, ok: [0, 1, 128, 129] }, signal)
  const tree = stdout.toString('utf8').split('\0', 1)[0] ?? ''
  return code === 0 && /^[0-9a-f]{40,64}$/.test(tree) ? tree : null
}

/** Far more than the starting points of tasks that land together. */
const mostOrigins = 20

/**
 * Whether no file that may have been merged by its content has a rule for that, wherever it is written; nor one for how it
 * gets into a checkout, by which it may turn out that one part can't be checked out at all.
 */
async function isMergedPlainly(
  git: GitContext,
  base: string,
  head: string,
  origins: string[],
): Promise<boolean> {
  if (origins.length > mostOrigins) return false
  const ruled = ['--bare', 'grep', '-q', '-a', '-E', '-e', 'merge|binary|filter|\\[attr\\]', base, head]
  const asked = [...ruled, '--', ':(glob)**/.gitattributes']
  if ((await git.run(asked, { cwd: git.common, ok: [0, 1] })).code === 0) return false
  const names: string[] = []
  for (const origin of origins) {
    const args = ['--bare', 'diff-tree', '-r', '-z', '--name-only', '--no-renames', origin, head]
    const { stdout } = await git.run(args, { cwd: git.common, maxBytes })
    names.push(stdout.toString('latin1'))
  }
  // In the same place as the merges, so that it goes by the same files as they did.
  const call = { cwd: mainRoot(git), stdin: Buffer.from(names.join(''), 'latin1'), maxBytes }
  const rules = await git.run(['check-attr', '-z', '--stdin', 'merge', 'filter'], { ...call, ok: [0, 128] })
  const fields = rules.stdout.toString('latin1').split('\0')
  return rules.code === 0 && fields.every((value, at) => at % 3 !== 2 || value === 'unspecified')
}

const maxBytes = 256 * 1024 * 1024
