/**
 * The repository around a loop's worktree, for a comparison before and after: the main checkout, branches and tags
 * other than Umpire's own, hooks and config. It needs only one call of git. The rest is read from files, because this
 * runs for every unsandboxed session.
 */
import { lstat, readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { VcsError } from '../../../core/errors.ts'
import type { RepositorySurroundings } from '../../../core/session/surroundings.ts'
import { readRegular } from '../../../lib/file/read-regular.ts'
import { sha256 } from '../../../lib/text/sha256.ts'
import { type GitContext, mainRoot } from '../context.ts'
import { keepsTables } from '../own-refs.ts'
import { lookAtChanges } from '../worktree/look.ts'

const most = 1000

export async function readSurroundings(git: GitContext): Promise<RepositorySurroundings> {
  const [checkout, refs, hooks, config] = await Promise.all([
    readCheckout(git),
    readRefs(git),
    readHooks(git),
    readConfig(git),
  ])
  return { checkout, refs, hooks, config }
}

/**
 * The differences between the main checkout and its commit. A new commit, for example by a landing, shows in the
 * branches.
 */
async function readCheckout(git: GitContext): Promise<Record<string, string>> {
  const root = mainRoot(git)
  const { changes } = await lookAtChanges(git, { path: root, gitDir: git.common, given: [] }).catch(
    (error) => {
      // A bare repository has no checkout that could change.
      if (error instanceof VcsError) return { changes: [] }
      throw error
    },
  )
  const entries: [string, string][] = await Promise.all(
    changes.slice(0, most).map(async ({ path, kind }): Promise<[string, string]> => {
      const stat = await lstat(join(root, path)).catch(() => null)
      return [path, `${kind} ${stat ? `${stat.size} ${stat.mtimeMs} ${stat.mode}` : 'gone'}`]
    }),
  )
  const rest = changes.slice(most).map(({ path, kind }) => `${kind} ${path}`)
  if (rest.length > 0) entries.push(['…', sha256(rest.join('\n'))])
  return Object.fromEntries(entries)
}

/**
 * Branches by name, and all tags as one entry, because there may be thousands. Remote-tracking branches are left out,
 * because they change with every fetch.
 */
async function readRefs(git: GitContext): Promise<Record<string, string>> {
  const all = (await keepsTables(git)) ? await askRefs(git) : await readRefFiles(git)
  const isTag = (name: string) => name.startsWith('refs/tags/')
  const tags = [...all].filter(([name]) => isTag(name)).sort()
  const others = [...all].filter(([name]) => !isTag(name) && !name.startsWith('refs/heads/umpire/'))
  const head = await readFile(join(git.common, 'HEAD'), 'utf8').catch(() => '')
  return Object.fromEntries([
    ['HEAD', head.trim()],
    ...others.slice(0, most).map(([name, sha]) => [name.replace(/^refs\/(heads\/)?/, ''), sha]),
    ['tags', sha256(JSON.stringify(tags))],
  ])
}

async function askRefs(git: GitContext): Promise<Map<string, string>> {
  const args = ['--bare', 'for-each-ref', '--format=%(objectname) %(refname)', ...watched]
  const { stdout } = await git.run(args, { cwd: git.common })
  return parseRefs(stdout.toString('utf8'))
}

const watched = ['refs/heads', 'refs/tags', 'refs/stash']

/** A ref's own file wins. The other refs are in one packed file, which is read last because git moves refs into it. */
async function readRefFiles({ common }: GitContext): Promise<Map<string, string>> {
  const refs = new Map<string, string>()
  for (const folder of ['refs/heads', 'refs/tags']) {
    const found = await readdir(join(common, folder), { withFileTypes: true, recursive: true }).catch(
      () => [],
    )
    for (const entry of found) {
      const name = join(entry.parentPath, entry.name).slice(common.length + 1)
      if (entry.isFile() && !isWithin(name, 'refs/heads/umpire') && !name.endsWith('.lock'))
        await addFile(common, name, refs)
    }
  }
  await addFile(common, 'refs/stash', refs)
  const packed = parseRefs(await readFile(join(common, 'packed-refs'), 'utf8').catch(() => ''))
  const others = [...packed].filter(([name]) => watched.some((prefix) => isWithin(name, prefix)))
  return new Map([...others, ...refs])
}

async function addFile(common: string, name: string, refs: Map<string, string>): Promise<void> {
  const text = await readFile(join(common, name), 'utf8').catch(() => null)
  if (text !== null) refs.set(name, text.trim())
}

function isWithin(name: string, prefix: string): boolean {
  return name === prefix || name.startsWith(`${prefix}/`)
}

function parseRefs(text: string): Map<string, string> {
  return new Map(
    [...text.matchAll(/^([0-9a-f]{40,64}) (refs\/.+)$/gm)].map(([, sha = '', name = '']) => [name, sha]),
  )
}

/** The samples are left out, because git never runs them. */
async function readHooks({ common }: GitContext): Promise<Record<string, string>> {
  const folder = join(common, 'hooks')
  const found = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => [])
  const entries = found
    .filter((entry) => !entry.isDirectory() && !entry.name.endsWith('.sample'))
    .map(async (entry) => {
      const path = join(entry.parentPath, entry.name)
      const [stat, content] = await Promise.all([
        lstat(path).catch(() => null),
        readFile(path, 'utf8').catch(() => ''),
      ])
      return [path.slice(folder.length + 1), `${stat?.mode} ${sha256(content)}`] as const
    })
  return Object.fromEntries(await Promise.all(entries))
}

async function readConfig({ common }: GitContext): Promise<Record<string, string>> {
  const texts = ['config', 'config.worktree'].map(async (name) => {
    const text = await readFile(join(common, name), 'utf8').catch(() => null)
    return text === null ? [] : [[name, sha256(withoutPassing(text))]]
  })
  const worktrees = await readdir(join(common, 'worktrees')).catch(() => [])
  const own = worktrees.map((name) => readSteering(common, join('worktrees', name)))
  return Object.fromEntries((await Promise.all([...texts, ...own])).flat())
}

/**
 * What a worktree's own git folder tells git beyond the defaults of a new worktree. Other worktrees come and go
 * meanwhile, and a new one copies the main checkout's settings.
 */
async function readSteering(common: string, folder: string): Promise<string[][]> {
  const [settings, shared, link] = await Promise.all([
    readWord(join(common, folder, 'config.worktree')),
    readWord(join(common, 'config.worktree')),
    readWord(join(common, folder, 'commondir')),
  ])
  const found: string[][] = []
  if (settings !== '' && settings !== shared) found.push([`${folder}/config.worktree`, sha256(settings)])
  if (link !== '' && resolve(common, folder, link) !== common)
    found.push([`${folder}/commondir`, sha256(link)])
  return found
}

const longestConfig = 1024 * 1024

/**
 * A file may appear or disappear between two checks, because another git process is creating or removing that worktree.
 */
const mostLooks = 5

/** Empty if the file is missing. An unreadable file counts as content. */
async function readWord(path: string): Promise<string> {
  for (let looks = 1; looks <= mostLooks; looks += 1) {
    const text = await readRegular(path, longestConfig)
    if (text !== null) return text.trim()
    if ((await lstat(path).catch(() => null)) === null) return ''
  }
  return 'no file that can be read'
}

/**
 * Sections that git and its helpers write in ordinary use, and that make git run nothing. Every `git push -u` writes a
 * branch's section, the first checkout of a submodule writes the submodule's, and git-lfs notes what it learned about a
 * server. An agent may also set the committer's name before it commits. A section with any other key is kept.
 */
const passing = [
  /^\[user\]\n(?:[ \t]+(?:name|email)[ \t]*=[^\\\n]*\n)*(?![ \t])/gm,
  /^\[(?:advice|safe)\]\n(?:[ \t]+[A-Za-z][\w-]*[ \t]*=[^\\\n]*\n)*(?![ \t])/gm,
  /^\[branch "[^"\n]*"\]\n(?:[ \t]+[A-Za-z][\w-]*[ \t]*=[^\\\n]*\n)*/gm,
  /^\[submodule "[^"\n]*"\]\n(?:[ \t]+(?:url|active)[ \t]*=[^\\\n]*\n)+(?![ \t])/gm,
  /^\[lfs(?: "[^"\n]*")?\]\n(?:[ \t]+(?:access|repositoryformatversion)[ \t]*=[^\\\n]*\n)+(?![ \t])/gm,
]

export function withoutPassing(text: string): string {
  return text.endsWith('\n') ? passing.reduce((rest, section) => rest.replace(section, ''), text) : text
}
