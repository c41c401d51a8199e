/**
 * The files in conflict: of which kind it is, and whether they still hold marks of it: lines that git put between the two
 * sides, and that neither side had. What is stored is compared and not what lies in the folder, so that line endings and
 * filters play no part.
 */
import type { ConflictFile } from '../../../core/resolution.ts'
import type { GitContext } from '../context.ts'
import type { BegunMerge } from './begun-merge.ts'

const mark = /^(?:<{7,}|>{7,}|\|{7,}|={7,})(?: |\r?$)/

/** What became of a file in conflict. */
export interface ConflictState extends ConflictFile {
  /** Marks are left in it. */
  isMarked: boolean
  /** It is there as git left it. */
  isUntouched: boolean
}

/** `tree`: what there is now. */
export async function lookAtConflicts(
  git: GitContext,
  begun: BegunMerge,
  tree: string,
): Promise<ConflictState[]> {
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
