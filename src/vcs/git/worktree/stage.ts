/** Stages everything that the developer left, and unstages what is not its work. */
import type { GitContext } from '../context.ts'
import { type Checkout, type Look, lookAtChanges } from './look.ts'

/** Levels of repositories inside ours. No one nests more by accident. */
const maxNesting = 5

export async function stageAll(git: GitContext, checkout: Checkout, seen: Look): Promise<void> {
  const { path: cwd, given } = checkout
  await takeOut(git, cwd, seen.taken)
  const unusable = await adoptNested(git, checkout, seen)
  const args = ['add', '-A', ...addingAllBut([...given, ...unusable])]
  const call = { cwd, mode: 'write', limitMs: git.limits.checkoutMs } as const
  const added = await git.run(args, { ...call, ok: [0, 1] })
  if (added.code === 0) return
  // A file outside the cone of a sparse checkout is also the developer's work.
  await git.run(['add', '--sparse', ...args.slice(1)], call)
}

/**
 * `git add` treats an excluded literal name as if it was requested, and refuses if it is ignored, as `node_modules`
 * nearly always is. A pattern does not have this problem, so a backslash turns each name into one.
 */
function addingAllBut(names: string[]): string[] {
  if (names.length === 0) return []
  const patterns = names.map((name) => name.replace(/[*?[\]\\]/g, '\\$&').replace(/^[^\\]/, '\\$&'))
  const left = patterns.flatMap((pattern) => [pattern, `${pattern}/**`])
  return ['--', ':(top)', ...left.map((pattern) => `:(top,exclude,glob)${pattern}`)]
}

/** Removes files from the index, not from the folder. */
export async function takeOut(git: GitContext, cwd: string, taken: string[]): Promise<void> {
  if (taken.length === 0) return
  const names = taken.map((name) => `:(top,literal)${name}`)
  await git.run(['rm', '-r', '-f', '-q', '--cached', '--ignore-unmatch', '--', ...names], {
    cwd,
    mode: 'write',
  })
}

/**
 * A folder in which the developer ran `git init` would become a link to a commit that exists nowhere else. The review
 * would not see its files, and the branch would not contain them. Once one of its files is in our index, git treats it
 * as a plain folder. Returns the folders without any file to add.
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
