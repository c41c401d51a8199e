/** The conflicts of a merge: what they are with, which of them a resolver left open, and what else it changed. */
import type { ConflictFile, Resolution } from '../../../core/phases/landing-state.ts'
import type { Place } from '../../../core/place.ts'
import type { ComparedMerge, MergeFinished } from '../../merges.ts'
import type { GitContext } from '../context.ts'
import { diffTrees, namesBetween } from '../diff.ts'
import { type BegunMerge, readBegun } from './begun-merge.ts'
import { listUnmerged } from './merge.ts'

/** `tree`: what is in the worktree at this path now. */
export async function findConflicts(
  git: GitContext,
  begun: BegunMerge,
  path: string,
  tree: string,
): Promise<Exclude<MergeFinished, { kind: 'committed' | 'refused' }> | null> {
  const conflicts = await lookAtConflicts(git, begun, tree)
  const marked = conflicts.filter(({ isMarked }) => isMarked).map((file) => file.path)
  if (marked.length > 0) return { kind: 'unresolved', files: marked }
  // If git could not write conflict markers, only the index says whether the conflict was resolved.
  const unmerged = new Set(await listUnmerged(git, path))
  const undecided = conflicts.filter(
    (file) => file.kind !== 'text' && file.isUntouched && unmerged.has(file.path),
  )
  if (undecided.length > 0) return { kind: 'undecided', files: undecided.map((file) => file.path) }
  const beyond = (await namesBetween(git, begun.record, tree)).filter(isBeside(begun.files))
  return beyond.length > 0 ? { kind: 'beyond', files: beyond, left: begun.record } : null
}

/**
 * Whether a path is not in conflict. If a file and a folder want the same name, git puts the file next to the folder
 * under a name with a tilde. The file may get either name, and the folder may go.
 */
function isBeside(files: string[]): (path: string) => boolean {
  const own = new Set(files.flatMap((file) => [file, file.replace(/~[^/]*$/, '')]))
  return (path) => {
    for (let at = path.length; at > 0; at = path.lastIndexOf('/', at - 1))
      if (own.has(path.slice(0, at))) return false
    return true
  }
}

export async function begunMerge(
  git: GitContext,
  place: Place,
): Promise<{ left: string; conflicts: ConflictFile[] } | null> {
  const begun = await readBegun(git, place)
  if (!begun) return null
  const [states, { stdout }] = await Promise.all([
    lookAtConflicts(git, begun, begun.record),
    git.run(['--bare', 'rev-parse', '--verify', `${begun.record}^{tree}`], { cwd: git.common }),
  ])
  return {
    left: stdout.toString('utf8').trim(),
    conflicts: states.map(({ path, kind }) => ({ path, kind })),
  }
}

/** The number of files to compare, because a command line is limited in length. */
const mostCompared = 500

export async function compareMerge(
  git: GitContext,
  { sha, ours, theirs, left, conflicts }: Resolution,
): Promise<ComparedMerge> {
  const files = conflicts.map(({ path }) => path)
  const { code } = await git.run(['--bare', 'cat-file', '-e', left], { cwd: git.common, ok: [0, 1, 128] })
  const beyond = code === 0 ? (await namesBetween(git, left, sha)).filter(isBeside(files)) : null
  const looked = [...files, ...(beyond ?? [])].slice(0, mostCompared)
  const [againstOurs, againstTheirs] = await Promise.all([
    diffTrees(git, ours, sha, looked),
    diffTrees(git, theirs, sha, looked),
  ])
  return { beyond, againstOurs, againstTheirs }
}

const mark = /^(?:<{7,}|>{7,}|\|{7,}|={7,})(?: |\r?$)/

/** The current state of a file in conflict. */
interface ConflictState extends ConflictFile {
  /** It still contains conflict markers. */
  isMarked: boolean
  /** It exists exactly as git left it. */
  isUntouched: boolean
}

/**
 * The files in conflict, with the kind of each conflict, and whether conflict markers are left: lines that git put
 * between the two sides and that neither side had. It compares stored blobs, not files in the folder, so line endings
 * and filters do not matter. `tree` is the current state.
 */
async function lookAtConflicts(git: GitContext, begun: BegunMerge, tree: string): Promise<ConflictState[]> {
  const { record, recorded, other, files } = begun
  if (files.length === 0) return []
  const [left, ours, theirs, now] = await Promise.all([
    listBlobs(git, record, files),
    listBlobs(git, recorded, files),
    listBlobs(git, other, files),
    listBlobs(git, tree, files),
  ])
  const texts = await readBlobs(git, new Set([left, ours, theirs, now].flatMap((each) => [...each.values()])))
  return files.map((path) => {
    const lines = (side: Map<string, string>) => linesOf(texts.get(side.get(path) ?? ''))
    const [before, after] = [lines(ours), lines(theirs)]
    const marks = [...lines(left)].filter((line) => mark.test(line) && !before.has(line) && !after.has(line))
    const present = lines(now)
    return {
      path,
      kind: marks.length > 0 ? 'text' : ours.has(path) && theirs.has(path) ? 'whole' : 'deleted',
      isMarked: marks.some((line) => present.has(line)),
      isUntouched: left.has(path) && left.get(path) === now.get(path),
    }
  })
}

function linesOf(text: string | undefined): Set<string> {
  return new Set(text?.split('\n'))
}

async function listBlobs(git: GitContext, tree: string, files: string[]): Promise<Map<string, string>> {
  const args = ['--bare', '--literal-pathspecs', 'ls-tree', '-r', '-z', tree, '--', ...files]
  const { stdout } = await git.run(args, { cwd: git.common })
  const blobs = new Map<string, string>()
  for (const entry of stdout.toString('utf8').split('\0')) {
    const [, name, path] = /^\d+ blob ([0-9a-f]+)\t(.+)$/s.exec(entry) ?? []
    if (name !== undefined && path !== undefined) blobs.set(path, name)
  }
  return blobs
}

const mostBytes = 512 * 1024 * 1024

async function readBlobs(git: GitContext, names: Set<string>): Promise<Map<string, string>> {
  const stdin = [...names].map((name) => `${name}\n`).join('')
  const call = { cwd: git.common, stdin, maxBytes: mostBytes }
  const { stdout } = await git.run(['--bare', 'cat-file', '--batch'], call)
  const texts = new Map<string, string>()
  for (let at = 0; at < stdout.length; ) {
    const lineEnd = stdout.indexOf('\n', at)
    const [name, , size] = stdout.toString('latin1', at, lineEnd).split(' ')
    at = lineEnd + 1
    if (lineEnd < 0 || name === undefined || size === undefined) continue
    texts.set(name, stdout.toString('latin1', at, at + Number(size)))
    at += Number(size) + 1
  }
  return texts
}

interface Conflict {
  /** The commit and the name of the branch that everything is merged into. */
  base: string
  branch: string
  /** The earlier merges, in order. */
  steps: Step[]
  commit: string
  files: string[]
}

interface Step {
  key: string
  from: string
  to: string
}

/**
 * What a part conflicts with: the earlier parts that changed one of its files, and the branch, if it changed one since
 * the part left it. This goes by file names, so a renamed file may not be found. Returns the keys of the parts and the
 * name of the branch, which also stands for what is not known.
 */
export async function findOpponents(git: GitContext, conflict: Conflict): Promise<string[]> {
  const { base, branch, steps, commit, files } = conflict
  if (steps.length === 0) return [branch]
  const asked = await git.run(['--bare', 'merge-base', base, commit], { cwd: git.common, ok: [0, 1] })
  const left = asked.stdout.toString('utf8').trim()
  const all = left === '' ? steps : [...steps, { key: branch, from: left, to: base }]
  const changed = await changedBy(git, all)
  const found = all.filter(({ to }) => files.some((file) => changed.get(to)?.has(file)))
  if (found.length > 0) return found.map(({ key }) => key)
  // A part that contains the whole branch can't conflict with it.
  return left === base ? steps.map(({ key }) => key) : [branch]
}

/** The names that each step changed, by the commit it led to. A rename counts with both names. */
async function changedBy(git: GitContext, steps: Step[]): Promise<Map<string, Set<string>>> {
  const args = ['--bare', 'diff-tree', '--stdin', '-r', '--no-renames', '--name-only', '-z']
  const stdin = steps.map(({ from, to }) => `${to} ${from}\n`).join('')
  const { stdout } = await git.run(args, { cwd: git.common, stdin, maxBytes: 256 * 1024 * 1024 })
  const changed = new Map(steps.map(({ to }): [string, Set<string>] => [to, new Set()]))
  let names = new Set<string>()
  // Each commit is followed by the names it changed. A commit without changes is not listed.
  for (const field of stdout.toString('utf8').split('\0')) {
    const begun = changed.get(field)
    if (begun) names = begun
    else names.add(field)
  }
  return changed
}
