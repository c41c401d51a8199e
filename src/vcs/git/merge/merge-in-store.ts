/**
 * Merges parts with git's objects alone, if `git merge` in a checkout would give the same result: no merge hook runs,
 * nothing is signed, no file has its own merge driver or filter, and nothing conflicts. That is the usual case. In a
 * large repository, the checkout for each merge would be most of the cost.
 */
import { constants } from 'node:fs'
import { access, mkdir, rm } from 'node:fs/promises'
import { dirname, isAbsolute, join, sep } from 'node:path'
import { VcsError } from '../../../core/errors.ts'
import { type GitContext, mainRoot } from '../context.ts'
import { checkoutPath } from '../worktree/checkouts.ts'
import { fallbackIdentity } from '../worktree/commit.ts'
import { cleaned } from './merge.ts'

interface Part {
  key: string
  commit: string
  message: string
}

interface InStore {
  told: { key: string; kind: 'merged' | 'contained'; commit: string }[]
  head: string
}

/**
 * Null if it has to be done in a checkout. That includes a failure of git, because only the checkout shows which part
 * causes it. No ref points to the objects made until then.
 */
export async function mergeInStore(
  git: GitContext,
  name: string,
  base: string,
  parts: Part[],
  signal: AbortSignal,
): Promise<InStore | null> {
  try {
    if (!(await isPlain(git))) return null
    const made = await mergeAll(git, base, parts, signal)
    return made && (await isMergedPlainly(git, name, base, made)) ? made : null
  } catch (error) {
    if (error instanceof VcsError) return null
    throw error
  }
}

/** Settings that change how trees are merged, do more than commit, or depend on where the merge is made. */
const steering =
  /^(core\.hookspath|hook\..*|pull\.twohead|merge\.(default|renormalize)|commit\.gpgsign|includeif\..*)$/

async function isPlain(git: GitContext): Promise<boolean> {
  const { stdout } = await git.run(['config', '--list', '-z'], { cwd: mainRoot(git) })
  for (const entry of stdout.toString('utf8').split('\0')) {
    const [name = '', value = 'true'] = entry.split('\n', 2)
    const isOff = name === 'commit.gpgsign' && /^(false|no|off|0|)$/i.test(value)
    if (steering.test(name) && !isOff) return false
  }
  return !(await isMergeHookIn(join(git.common, 'hooks')))
}

interface Made extends InStore {
  /** The merge bases. */
  origins: Set<string>
}

/** Far more merge bases than tasks that land together have. */
const mostOrigins = 20

async function mergeAll(
  git: GitContext,
  base: string,
  parts: Part[],
  signal: AbortSignal,
): Promise<Made | null> {
  const env = await fallbackIdentity(git, mainRoot(git))
  const made: Made = { told: [], head: base, origins: new Set() }
  for (const { key, commit, message } of parts) {
    const { head } = made
    const shared = await mergeBases(git, head, commit)
    for (const origin of shared) made.origins.add(origin)
    if (shared.length === 0 || made.origins.size > mostOrigins) return null
    if (shared[0] === commit) {
      made.told.push({ key, kind: 'contained', commit: head })
      continue
    }
    if (shared[0] === head) made.head = commit
    else {
      const tree = await mergeTrees(git, head, commit, signal)
      if (tree === null) return null
      const args = ['--bare', 'commit-tree', tree, '-p', head, '-p', commit, '-F', '-']
      const stdin = `${cleaned(message)}\n`
      const { stdout } = await git.run(args, { cwd: git.common, mode: 'write', env, stdin }, signal)
      made.head = stdout.toString('utf8').trim()
    }
    made.told.push({ key, kind: 'merged', commit: made.head })
  }
  return made
}

async function mergeBases(git: GitContext, one: string, other: string): Promise<string[]> {
  const args = ['--bare', 'merge-base', '--all', one, other]
  const { stdout } = await git.run(args, { cwd: git.common, ok: [0, 1] })
  return stdout.toString('utf8').split('\n').filter(Boolean)
}

/** Null for a conflict. */
async function mergeTrees(
  git: GitContext,
  ours: string,
  theirs: string,
  signal: AbortSignal,
): Promise<string | null> {
  const args = ['merge-tree', '--write-tree', '-z', '--no-messages', ours, theirs]
  const call = { cwd: mainRoot(git), mode: 'write', limitMs: git.limits.checkoutMs } as const
  const { code, stdout } = await git.run(args, { ...call, ok: [0, 1] }, signal)
  const tree = stdout.toString('utf8').split('\0', 1)[0] ?? ''
  return code === 0 && /^[0-9a-f]{40,64}$/.test(tree) ? tree : null
}

/**
 * Whether no merged file has a git attribute for merging, wherever that is set, or for a checkout filter. A filter may
 * make it impossible to check out one of the parts. Submodules don't count as plain, because merging them depends on
 * the contents of the checkout.
 */
async function isMergedPlainly(
  git: GitContext,
  name: string,
  base: string,
  { head, origins }: Made,
): Promise<boolean> {
  if (head === base) return true
  // Attributes that a part adds or removes would apply to only some of the merges.
  const touching = ['--bare', 'rev-list', '--full-history', '--max-count=1', head, `^${base}`]
  const rules = await git.run([...touching, '--', ':(glob)**/.gitattributes'], { cwd: git.common })
  if (rules.stdout.length > 0) return false
  const paths = await changedPaths(git, head, [...origins])
  return paths !== null && (await isUnruled(git, paths)) && isUnruledIn(git, name, head, paths)
}

/** All paths that may have been merged, as git lists them. Null if one is a submodule. */
async function changedPaths(git: GitContext, head: string, origins: string[]): Promise<Buffer | null> {
  const paths: string[] = []
  for (const origin of origins) {
    const args = ['--bare', 'diff-tree', '-r', '-z', '--raw', '--no-renames', origin, head]
    const { stdout } = await git.run(args, { cwd: git.common, maxBytes })
    // One character per byte, because a path need not be UTF-8.
    const fields = stdout.toString('latin1').split('\0')
    if (fields.some((field, at) => at % 2 === 0 && /^:(160000 |\d+ 160000 )/.test(field))) return null
    for (let at = 1; at < fields.length; at += 2) paths.push(`${fields[at]}\0`)
  }
  return Buffer.from(paths.join(''), 'latin1')
}

const maxBytes = 256 * 1024 * 1024

/** Checks the attribute files that the merges here used. */
function isUnruled(git: GitContext, paths: Buffer): Promise<boolean> {
  return asksForNothing(git, [], paths, {})
}

/** Checks the attribute files in the result. Reading it into an index also shows that all of it can be checked out. */
async function isUnruledIn(git: GitContext, name: string, head: string, paths: Buffer): Promise<boolean> {
  // Next to the checkouts and named like one, so that it is cleaned up like one.
  const index = checkoutPath(git, 'scratch', `${name}.index`)
  const env = { GIT_INDEX_FILE: index }
  await mkdir(dirname(index), { recursive: true })
  try {
    const read = ['-c', 'core.splitIndex=false', '-c', 'index.sparse=false', 'read-tree', head]
    await git.run(read, { cwd: mainRoot(git), mode: 'write', env })
    return await asksForNothing(git, ['--cached'], paths, env)
  } finally {
    for (const file of [index, `${index}.lock`]) await rm(file, { force: true })
  }
}

async function asksForNothing(
  git: GitContext,
  where: string[],
  stdin: Buffer,
  env: Record<string, string>,
): Promise<boolean> {
  const args = ['check-attr', '-z', '--stdin', ...where, 'merge', 'filter']
  const { stdout } = await git.run(args, { cwd: mainRoot(git), stdin, env, maxBytes })
  const fields = stdout.toString('latin1').split('\0')
  return fields.every((value, at) => at % 3 !== 2 || value === 'unspecified')
}

const names = ['pre-merge-commit', 'prepare-commit-msg', 'commit-msg', 'post-merge', 'post-checkout']
names.push('reference-transaction', 'post-index-change')

/** Whether the repository has hooks that run in a merge, or may get some during it. */
export async function hasMergeHooks(git: GitContext, checkout: string): Promise<boolean> {
  const [path, configured] = await Promise.all([
    git.run(['rev-parse', '--git-path', 'hooks'], { cwd: checkout }),
    // Newer versions of git also read hooks from the settings.
    git.run(['config', '--get-regexp', '^hook\\.'], { cwd: checkout, ok: [0, 1] }),
  ])
  if (configured.code === 0) return true
  const folder = path.stdout.toString('utf8').replace(/\n$/, '')
  // Hooks inside the tree may appear with a merge, or when the checkout is prepared.
  if (!isAbsolute(folder) || `${folder}${sep}`.startsWith(`${checkout}${sep}`)) return true
  return isMergeHookIn(folder)
}

async function isMergeHookIn(folder: string): Promise<boolean> {
  const found = await Promise.all(names.map((name) => isExecutable(join(folder, name))))
  return found.includes(true)
}

function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  )
}
