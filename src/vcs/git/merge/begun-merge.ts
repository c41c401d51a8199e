/**
 * The record of a merge that an agent has to resolve in a loop's worktree. A ref of our own, which a sandboxed
 * developer can't write, points to a commit of the files as git left them, with both sides as parents. A note in the
 * worktree's git folder says that the files are there, and disappears with them. Git itself is not told about the
 * merge, because to git a running merge looks the same as one that an agent left half done.
 */
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Place } from '../../../core/place.ts'
import { readRegular } from '../../../lib/file/read-regular.ts'
import { type GitContext, mainRoot, readCommits } from '../context.ts'
import { noFollowing, updateRefs } from '../land/waiting.ts'
import { umpireIdentity } from '../message.ts'
import { gitFailure } from '../run.ts'

export interface BegunMerge {
  /** The commit that records the merge. */
  record: string
  recorded: string
  other: string
  /** The files in conflict. */
  files: string[]
}

const refs = 'refs/umpire/merging'
const noteFile = 'umpire-merging'

function refFor({ branch }: Place): string {
  return `${refs}/${branch.replace(/^umpire\//, '')}`
}

/** Null if no merge was started. */
export async function readBegun(git: GitContext, place: Place): Promise<BegunMerge | null> {
  const args = ['--bare', 'rev-list', '--no-walk', '--parents', refFor(place), '--']
  const found = await git.run(args, { cwd: git.common, ok: [0, 128] })
  const [record, recorded, other] = found.stdout.toString('utf8').trim().split(' ')
  if (found.code !== 0 || !record || !recorded || !other) return null
  const [commit] = await readCommits(git, git.common, [record])
  const files: unknown = JSON.parse(commit?.message.split('\n').at(-1) ?? '[]')
  return { record, recorded, other, files: Array.isArray(files) ? files.map(String) : [] }
}

/** Whether the files in this worktree come from the merge, possibly edited since. */
export async function isNoted(gitDir: string, { record }: BegunMerge): Promise<boolean> {
  return (await readRegular(join(gitDir, noteFile), 100)) === record
}

export async function noteBegun(
  git: GitContext,
  place: Place,
  gitDir: string,
  merge: { recorded: string; other: string; tree: string; files: string[] },
): Promise<void> {
  const { recorded, other, tree, files } = merge
  const args = ['--bare', 'commit-tree', tree, '-p', recorded, '-p', other, '-F', '-']
  const stdin = `A merge to be resolved\n\n${JSON.stringify(files)}\n`
  const made = await git.run(args, { cwd: git.common, mode: 'write', stdin, env: umpireIdentity })
  const record = made.stdout.toString('utf8').trim()
  const lines = [noFollowing, `update ${refFor(place)} ${record}`]
  const put = await updateRefs(git, 'umpire: begin a merge', lines)
  if (put.code !== 0) throw gitFailure(['update-ref'], put, git.limits.commandMs)
  await git.guard()
  await writeFile(join(gitDir, noteFile), record)
}

export async function forgetNote(git: GitContext, gitDir: string): Promise<void> {
  if ((await readRegular(join(gitDir, noteFile), 100)) === null) return
  await git.guard()
  await rm(join(gitDir, noteFile), { force: true })
}

export async function dropBegun(git: GitContext, place: Place): Promise<void> {
  const args = ['update-ref', '--no-deref', '-d', refFor(place)]
  await git.run(args, { cwd: mainRoot(git), mode: 'write' })
}

const mergeFiles = ['MERGE_HEAD', 'MERGE_MODE', 'MERGE_MSG', 'AUTO_MERGE']

/** Makes git forget the merge. Index and files stay. */
export async function forgetMergeHead(git: GitContext, gitDir: string): Promise<void> {
  await git.guard()
  for (const name of mergeFiles) await rm(join(gitDir, name), { force: true })
}

/** The same for our own merge whose worker was killed while committing, so that it does not look like an agent's. */
export async function forgetOwnMerge(git: GitContext, place: Place, gitDir: string): Promise<void> {
  const other = (await readRegular(join(gitDir, 'MERGE_HEAD'), 100))?.trim()
  if (other === undefined) return
  const begun = await readBegun(git, place)
  if (begun?.other === other && (await isNoted(gitDir, begun))) await forgetMergeHead(git, gitDir)
}
