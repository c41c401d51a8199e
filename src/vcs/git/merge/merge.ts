/** One merge in a checkout of ours, by `git merge` itself, so the result is what a person would get. */
import type { ExecResult } from '../../../lib/process/exec.ts'
import { type GitContext, isAncestor, readCommit } from '../context.ts'
import { noHooks } from '../land/waiting.ts'
import { gitFailure } from '../run.ts'

/** `write`: without hooks and signing. `hooks`: as a person would do it. */
export interface Manner {
  mode: 'write' | 'hooks'
  env: Record<string, string>
  limitMs: number
  /** Stops before the commit and leaves the merged files. */
  uncommitted?: boolean
}

export type Merged =
  | { kind: 'merged' }
  | { kind: 'conflict'; files: string[] }
  | { kind: 'refused'; result: ExecResult }

/**
 * Overrides the person's settings that would open an editor, add to the message, reuse a recorded resolution, or refuse
 * a commit that was approved by its hash. Merge drivers, renames and strategies stay the repository's own.
 */
const asked = ['--no-squash', '--no-edit', '--no-log', '--no-stat', '-q', '--no-autostash']
asked.push('--no-verify-signatures', '--cleanup=whitespace')

const unsigned = ['-c', 'commit.gpgSign=false']

export async function merge(
  git: GitContext,
  cwd: string,
  { commit, message }: { commit: string; message: string },
  { mode, env, limitMs, uncommitted = false }: Manner,
  signal: AbortSignal,
): Promise<Merged> {
  const settings = ['-c', 'rerere.enabled=false', ...(mode === 'hooks' ? [] : [...noHooks, ...unsigned])]
  const how = uncommitted ? ['--no-ff', '--no-commit'] : ['--ff', '--commit']
  const args = [...settings, 'merge', ...how, ...asked, '-m', `${cleaned(message)}\n`, commit]
  const result = await git.run(args, { cwd, mode, env, limitMs, ok: [0, 1, 2, 128] }, signal)
  if (result.code === 0) return { kind: 'merged' }
  const files = await listUnmerged(git, cwd)
  if (files.length > 0) return { kind: 'conflict', files }
  // A post-merge hook that hangs can't undo the merge before it.
  if (result.timedOut && (await isAncestor(git, commit, (await readCommit(git, cwd, 'HEAD')).sha)))
    return { kind: 'merged' }
  const byHook = result.timedOut || result.code === 1 || /ref updates aborted by hook/.test(result.stderr)
  if (mode === 'hooks' && byHook) return { kind: 'refused', result }
  throw gitFailure(args, result, limitMs)
}

/** The files for which the index still has several sides. */
export async function listUnmerged(git: GitContext, cwd: string): Promise<string[]> {
  const { stdout } = await git.run(['ls-files', '--unmerged', '-z'], { cwd })
  const paths = stdout
    .toString('utf8')
    .split('\0')
    .filter((entry) => entry !== '')
    .map((entry) => entry.slice(entry.indexOf('\t') + 1))
  return [...new Set(paths)]
}

/** Whatever the title contains, the message is plain lines of text and never empty. */
export function cleaned(message: string): string {
  const lines = message.split('\n').map((line) => line.replace(/\p{Cc}+/gu, ' ').trimEnd())
  const text = lines.join('\n').replace(/\n{3,}/g, '\n\n')
  return text.trim() || 'Merge approved work'
}
