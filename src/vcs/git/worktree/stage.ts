/** Puts everything that the developer left into the index, and takes out what is not its work. */
import type { GitContext } from '../context.ts'
import { type Checkout, type Look, lookAtChanges } from './look.ts'

/** Repositories inside repositories inside ours; more levels than anybody makes by accident. */
const maxNesting = 5

export async function stageAll(git: GitContext, checkout: Checkout, seen: Look): Promise<void> {
  const { path: cwd, given } = checkout
  await takeOut(git, cwd, seen.taken)
  const unusable = await adoptNested(git, checkout, seen)
  const args = ['add', '-A', ...addingAllBut([...given, ...unusable])]
  const call = { cwd, mode: 'write', limitMs: git.limits.checkoutMs } as const
  const added = await git.run(args, { ...call, ok: [0, 1] })
  if (added.code === 0) return
  // A file outside the cone of a sparse checkout is the developer's work like any other.
  await git.run(['add', '--sparse', ...args.slice(1)], call)
}

/**
 * A name that is left out by its plain letters counts for `git add` as one that was asked for: where it is ignored, as
 * `node_modules` nearly always is, git refuses. One that is a pattern, if only by a backslash, does not.
 */
function addingAllBut(names: string[]): string[] {
  if (names.length === 0) return []
  const patterns = names.map((name) => name.replace(/[*?[\]\\]/g, '\\$&').replace(/^[^\\]/, '\\$&'))
  const left = patterns.flatMap((pattern) => [pattern, `${pattern}/**`])
  return ['--', ':(top)', ...left.map((pattern) => `:(top,exclude,glob)${pattern}`)]
}

/** Out of the index, not out of the folder. */
export async function takeOut(git: GitContext, cwd: string, taken: string[]): Promise<void> {
  if (taken.length === 0) return
  const names = taken.map((name) => `:(top,literal)${name}`)
  await git.run(['rm', '-r', '-f', '-q', '--cached', '--ignore-unmatch', '--', ...names], {
    cwd,
    mode: 'write',
  })
}

/**
 * A folder in which the developer ran `git init` would become a link to a commit that nobody else has: the review
 * would not see its files, and the branch would not contain them. Once one of its files is in our index git takes it
 * for a plain folder. Gives back those that have nothing to take.
 */
async function adoptNested(git: GitContext, checkout: Checkout, seen: Look): Promise<string[]> {
  const { path: cwd, given } = checkout
  const unusable = new Set<string>()
  let nested = nestedIn(seen)
  for (let level = 0; nested.length > 0 && level < maxNesting; level++) {
    for (const folder of nested) {
      const file = await firstFile(git, `${cwd}/${folder}`)
      if (file === null) unusable.add(folder)
      else await git.run(['update-index', '--add', '--', `${folder}/${file}`], { cwd, mode: 'write' })
    }
    nested = nestedIn(await lookAtChanges(git, { ...checkout, given: [...given, ...unusable] }))
  }
  return [...unusable, ...nested]
}

async function firstFile(git: GitContext, cwd: string): Promise<string | null> {
  const listed = await git.run(['ls-files', '-co', '--exclude-standard', '-z'], { cwd, ok: [0, 128] })
  const files = listed.code === 0 ? listed.stdout.toString('utf8').split('\0') : []
  return files.find((file) => file !== '' && !file.endsWith('/')) ?? null
}

function nestedIn(seen: Look): string[] {
  return seen.changes.filter(({ kind }) => kind === 'nested').map(({ path }) => path)
}
