/**
 * A reviewer's clone: its own git folder with the tree under review as one commit on top of the base. It borrows the
 * repository's objects and nothing else: no remotes, no hooks, no branches, no messages from the developer.
 */
import { createHash } from 'node:crypto'
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import type { Place } from '../../../core/place.ts'
import type { ReviewedState } from '../../../core/session/session.ts'
import type { GitContext } from '../context.ts'
import { mergeBase } from '../diff.ts'
import { checkoutPath } from '../worktree/checkouts.ts'
import { hashClone, hashRepository, renderFingerprint } from './fingerprint.ts'

/**
 * Files are written exactly as stored, without filters, line-ending conversion or keywords. So their bytes can be
 * compared with the tree.
 */
const attributes = '* -text -eol -filter -ident -working-tree-encoding\n'

export async function openClone(
  git: GitContext,
  name: string,
  place: Place,
  wanted: string | null,
): Promise<{ path: string; state: ReviewedState }> {
  const tree = wanted ?? emptyTree(place)
  const path = checkoutPath(git, 'clones', name)
  const [repository] = await Promise.all([hashRepository(git, place), fillClone(git, path, place, tree)])
  const fingerprint = renderFingerprint({ ...repository, clone: await hashClone(path) })
  return { path, state: { tree, clone: name, fingerprint } }
}

/** Git knows the empty tree by its hash, without having stored it. */
function emptyTree({ baseCommit }: Place): string {
  const hash = baseCommit.length === 64 ? 'sha256' : 'sha1'
  return createHash(hash).update('tree 0\0').digest('hex')
}

async function fillClone(git: GitContext, path: string, place: Place, tree: string): Promise<void> {
  const gitDir = join(path, '.git')
  await git.guard()
  await rm(path, { recursive: true, force: true })
  const [parent] = await Promise.all([mergeBase(git, place), makeGitDir(git, gitDir, tree)])
  const head = await writeCommit(gitDir, tree, parent)
  await git.run(['reset', '-q', '--hard', head], { cwd: path, mode: 'write', limitMs: git.limits.checkoutMs })
}

/** Writes what `git init` with an empty template would, but without a process. */
async function makeGitDir(git: GitContext, gitDir: string, tree: string): Promise<void> {
  await mkdir(join(gitDir, 'objects', 'info'), { recursive: true })
  await Promise.all([mkdir(join(gitDir, 'refs')), mkdir(join(gitDir, 'info'))])
  const core = ['bare = false', 'filemode = true', 'hooksPath = /dev/null']
  // A repository with SHA-256 has to declare it, and then git requires the newer format version.
  core.push(`repositoryformatversion = ${tree.length === 64 ? 1 : 0}`)
  const extensions = tree.length === 64 ? '[extensions]\n\tobjectFormat = sha256\n' : ''
  await Promise.all([
    writeFile(join(gitDir, 'HEAD'), 'ref: refs/heads/review\n'),
    writeFile(join(gitDir, 'config'), `[core]\n${core.map((line) => `\t${line}\n`).join('')}${extensions}`),
    writeFile(join(gitDir, 'info', 'attributes'), attributes),
    writeFile(join(gitDir, 'objects', 'info', 'alternates'), `${join(git.common, 'objects')}\n`),
    // Without this file git would look for parents that a shallow repository does not have.
    copyFile(join(git.common, 'shallow'), join(gitDir, 'shallow')).catch((error) => {
      if (error.code !== 'ENOENT') throw error
    }),
  ])
}

/** Stores the clone's only commit. Its message says only that this is the work under review. */
async function writeCommit(gitDir: string, tree: string, parent: string): Promise<string> {
  const who = 'Umpire <umpire@localhost> 946684800 +0000'
  const body = `tree ${tree}\nparent ${parent}\nauthor ${who}\ncommitter ${who}\n\nThe work under review\n`
  const object = Buffer.from(`commit ${body.length}\0${body}`)
  const sha = createHash(tree.length === 64 ? 'sha256' : 'sha1')
    .update(object)
    .digest('hex')
  const folder = join(gitDir, 'objects', sha.slice(0, 2))
  await mkdir(folder)
  await writeFile(join(folder, sha.slice(2)), deflateSync(object), { mode: 0o444 })
  return sha
}
