/**
 * What a reviewer must not touch, as one string of named hashes: the loop's branch and worktree, the repository's
 * hooks and config, and the git folder of the reviewer's own clone. Each part has its own hash, so that a later
 * comparison can say which of them changed.
 */
import { createHash } from 'node:crypto'
import { lstat, readdir, readFile, readlink } from 'node:fs/promises'
import { join, resolve, sep } from 'node:path'
import type { Place } from '../../../core/place.ts'
import { type GitContext, mainRoot, readLink, refOf, worktreePath } from '../context.ts'
import { type Look, look } from '../worktree/look.ts'
import { givenPaths } from '../worktree/prepare-checkout.ts'

type RepositoryPart = 'branch' | 'worktree' | 'hooks' | 'config'
export type FingerprintPart = RepositoryPart | 'clone'

const parts: FingerprintPart[] = ['branch', 'worktree', 'hooks', 'config', 'clone']

export function renderFingerprint(values: Record<FingerprintPart, string>): string {
  return parts.map((part) => `${part}=${values[part]}`).join(';')
}

export function differingParts(before: string, now: string): FingerprintPart[] {
  const known = before.split(';')
  const fresh = new Set(now.split(';'))
  return parts.filter((part) => !known.some((value) => value.startsWith(`${part}=`) && fresh.has(value)))
}

export async function hashRepository(git: GitContext, place: Place): Promise<Record<RepositoryPart, string>> {
  const path = worktreePath(git, place)
  const [seen, config, tie] = await Promise.all([lookAt(git, path), readConfig(git), describeTie(git, path)])
  return {
    branch: seen === null ? 'gone' : await readBranch(git, place, seen),
    worktree: seen === null ? 'gone' : await hashWorktree(path, seen),
    hooks: await hashHooks(git, path, config.hooksPath),
    config: hash(`${config.text}\0${tie}`),
  }
}

async function lookAt(git: GitContext, path: string): Promise<Look | null> {
  const link = await readLink(git, path)
  return link.kind === 'linked'
    ? look(git, { path, gitDir: link.gitDir, given: await givenPaths(link.gitDir) })
    : null
}

/** The files in the worktree's own git folder that contain settings or tie it to its repository. */
async function describeTie(git: GitContext, path: string): Promise<string> {
  const link = await readLink(git, path)
  if (link.kind !== 'linked') return link.kind
  const names = ['config.worktree', 'commondir', 'gitdir']
  const lines = await Promise.all(names.map((name) => describe(join(link.gitDir, name), link.gitDir)))
  return lines.flat().join('\n')
}

async function readBranch(git: GitContext, place: Place, seen: Look): Promise<string> {
  if (seen.branch === place.branch) return seen.head
  const args = ['rev-parse', '--verify', '-q', refOf(place.branch)]
  const { stdout } = await git.run(args, { cwd: git.common, ok: [0, 1, 128] })
  return `${stdout.toString('utf8').trim()},${seen.branch ?? 'detached'},${seen.head}`
}

/** A file that was already changed before the review is compared by size and times, as git does it. */
async function hashWorktree(path: string, seen: Look): Promise<string> {
  const lines = [JSON.stringify([seen.hidden, seen.taken])]
  for (const change of seen.changes) {
    const stat = await lstat(join(path, change.path)).catch(() => null)
    lines.push(JSON.stringify([change, stat && [stat.size, stat.mtimeMs, stat.ctimeMs, stat.mode]]))
  }
  return hash(lines.join('\n'))
}

/**
 * Read by git, because only git knows where a section ends: one line can have several. `branch.*` is left out, because
 * every `git push -u` writes it.
 */
async function readConfig(git: GitContext): Promise<{ text: string; hooksPath: string | null }> {
  const entries = (await git.shared.readSettings()).split('\0')
  const kept = entries.filter((entry) => !entry.startsWith('branch.'))
  const hooks = entries.filter((entry) => entry.startsWith('core.hookspath\n')).at(-1)
  const own = await readFile(join(git.common, 'config.worktree'), 'utf8').catch(() => '')
  return { text: `${kept.join('\0')}\0${own}`, hooksPath: hooks?.slice('core.hookspath\n'.length) ?? null }
}

/**
 * The hooks folder, and the one from the settings if it is inside the repository. A relative path applies in every
 * checkout.
 */
async function hashHooks(git: GitContext, worktree: string, hooksPath: string | null): Promise<string> {
  const root = mainRoot(git)
  const folders = new Set([join(git.common, 'hooks')])
  for (const checkout of hooksPath === null ? [] : [root, worktree])
    folders.add(resolve(checkout, hooksPath ?? ''))
  const lines: string[] = []
  for (const folder of folders) {
    if (`${folder}${sep}`.startsWith(`${root}${sep}`) || folder.startsWith(git.common)) {
      lines.push(...(await describe(folder, folder)))
    }
  }
  return hash(lines.join('\n'))
}

/**
 * Everything in a clone's git folder that defines its commits and files. Its index and objects are left out, because
 * mere reading may change them.
 */
export async function hashClone(clone: string): Promise<string> {
  const gitDir = join(clone, '.git')
  const watched = [
    'HEAD',
    'config',
    'config.worktree',
    'packed-refs',
    'refs',
    'info',
    'hooks',
    'shallow',
    'commondir',
  ]
  const lines: string[] = []
  for (const name of [...watched, join('objects', 'info', 'alternates')]) {
    lines.push(...(await describe(join(gitDir, name), gitDir)))
  }
  return hash(lines.join('\n'))
}

/** One line for every file below: its name, its mode, and a hash of its content. */
async function describe(path: string, root: string): Promise<string[]> {
  const stat = await lstat(path).catch(() => null)
  const line = (what: string) => [JSON.stringify([path.slice(root.length), stat?.mode, what])]
  if (!stat) return []
  if (stat.isSymbolicLink()) return line(await readlink(path))
  if (stat.isFile()) return line(hash(await readFile(path)))
  if (!stat.isDirectory()) return line('special')
  const names = (await readdir(path)).sort()
  const below = await Promise.all(names.map((name) => describe(join(path, name), root)))
  return below.flat()
}

function hash(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 32)
}
