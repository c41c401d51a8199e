/**
 * Diffs of trees, for reviewers. They are made as in a repository without a checkout, so that no `.gitattributes` of
 * the tree under review can hide a file (`*.js -diff`) or run a program. External diff and textconv are off.
 */
import type { Place } from '../../core/place.ts'
import type { Diff } from '../review-rooms.ts'
import { type GitContext, isAncestor, readBranch, readLooseRef, refOf } from './context.ts'
import { readGroupRecord } from './land/group-branch.ts'

const maxBytes = 64 * 1024 * 1024

/**
 * The commit that the work is compared with: the point where the branch left its current base, or the recorded commit
 * if the base is gone. The work that a task was built on is not its own, unless all of it was merged in again from
 * outside.
 */
export async function mergeBase(git: GitContext, place: Place): Promise<string> {
  const { base, baseCommit, target, root } = place
  // Use the record, not the group's branch: a developer that moved the branch to its own work would hide that work from
  // the reviewer.
  const group = target === undefined ? null : await readGroupRecord(git, target)
  // If the base has not moved, the branch left it there. This check needs no process.
  const unmoved = group === null && (await readLooseRef(git, base)) === baseCommit
  const left = unmoved ? baseCommit : await whereItLeft(git, place, group)
  return root !== undefined && (await isAncestor(git, left, root)) ? root : left
}

async function whereItLeft(git: GitContext, place: Place, group: string | null): Promise<string> {
  const head = await readBranch(git, place.branch)
  for (const other of group === null ? [refOf(place.base)] : [group, refOf(place.base)]) {
    const args = ['--bare', 'merge-base', other, refOf(place.branch)]
    const { code, stdout } = await git.run(args, { cwd: git.common, ok: [0, 1, 128] })
    const found = stdout.toString('utf8').trim()
    // If the work is already merged, the merge base is the work itself, so use the loop's own start.
    if (code === 0 && found !== head) return found
  }
  return place.baseCommit
}

export async function diffFromBase(git: GitContext, place: Place, to: string): Promise<Diff> {
  const against = await mergeBase(git, place)
  const { bytes, cut } = await diffTree(git, ['--numstat', '-z', '--patch', against, to])
  // The numbers of all files come first. An empty field separates them from the text.
  const split = bytes.subarray(0, 2).includes(0) ? -1 : bytes.indexOf('\0\0')
  const numbers = split < 0 ? bytes.toString('utf8') : bytes.subarray(0, split).toString('utf8')
  const text = split < 0 ? '' : bytes.subarray(split + 2).toString('utf8')
  return { text: text + cut, files: parseNumbers(numbers), against, cut: cut !== '' }
}

/** `files`: only these. */
export async function diffTrees(
  git: GitContext,
  fromTree: string,
  toTree: string,
  files: string[] = [],
): Promise<string> {
  const { bytes, cut } = await diffTree(git, ['--patch', fromTree, toTree, '--', ...files])
  return bytes.toString('utf8') + cut
}

/** The paths that differ between the two. A rename counts as two paths. */
export async function namesBetween(git: GitContext, fromTree: string, toTree: string): Promise<string[]> {
  const { bytes } = await diffTree(git, ['--no-renames', '--name-only', '-z', fromTree, toTree])
  return namesIn(bytes)
}

/** A file listed without lines was renamed or deleted, or is binary. */
export async function changedLines(
  git: GitContext,
  fromTree: string,
  toTree: string,
): Promise<Record<string, [number, number][]>> {
  const [names, hunks] = await Promise.all([
    diffTree(git, ['--name-only', '-z', fromTree, toTree]),
    diffTree(git, ['--patch', '-U0', fromTree, toTree]),
  ])
  const paths = namesIn(names.bytes)
  const changed = Object.fromEntries(paths.map((path): [string, [number, number][]] => [path, []]))
  // Both outputs are in the same order, so the paths need not be parsed from the text, where they may be quoted.
  let file = -1
  let left = 0
  for (const line of hunks.bytes.toString('utf8').split('\n')) {
    if (left > 0 && /^[-+]/.test(line)) {
      left -= 1
      continue
    }
    if (line.startsWith('diff --git ')) file += 1
    const hunk = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line)
    if (!hunk) continue
    const [removed, start, added] = [Number(hunk[1] ?? 1), Number(hunk[2]), Number(hunk[3] ?? 1)]
    left = removed + added
    // If lines were only removed, the change is between the two remaining lines.
    changed[paths[file] ?? '']?.push(
      added === 0 ? [Math.max(start, 1), start + 1] : [start, start + added - 1],
    )
  }
  return changed
}

function namesIn(bytes: Buffer): string[] {
  return bytes
    .toString('utf8')
    .split('\0')
    .filter((path) => path !== '')
}

async function diffTree(git: GitContext, args: string[]): Promise<{ bytes: Buffer; cut: string }> {
  const fixed = [
    '--bare',
    '--literal-pathspecs',
    '-c',
    'core.attributesFile=/dev/null',
    'diff-tree',
    '-r',
    '-M',
    '--no-ext-diff',
  ]
  const safe = ['--no-textconv', '--no-color', '--src-prefix=a/', '--dst-prefix=b/']
  const { stdout, truncated } = await git.run([...fixed, ...safe, ...args], { cwd: git.common, maxBytes })
  return {
    bytes: stdout,
    cut: truncated ? `\n[The diff is longer than ${maxBytes} bytes and is cut off here.]\n` : '',
  }
}

/** `added TAB removed TAB path NUL`. For a rename the path is empty, and the old and the new path follow. */
function parseNumbers(text: string): Diff['files'] {
  const fields = text.split('\0')
  const files: Diff['files'] = []
  for (let at = 0; at < fields.length; at++) {
    const [added, removed, path] = (fields[at] ?? '').split(/\t(.*?)\t/s)
    if (added === undefined || removed === undefined || path === undefined) continue
    const renamedTo = path === '' ? fields[at + 2] : undefined
    if (renamedTo !== undefined) at += 2
    const count = (field: string) => (field === '-' ? null : Number(field))
    files.push({ path: renamedTo ?? path, added: count(added), removed: count(removed) })
  }
  return files
}
