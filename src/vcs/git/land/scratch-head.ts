/** The commit that a scratch checkout is at, by its own file: it is on no branch, unless something that ran there switched. */
import { join } from 'node:path'
import { readRegular } from '../../../lib/file/read-regular.ts'
import { type GitContext, readCommit } from '../context.ts'

export async function readScratchHead(
  git: GitContext,
  { path, gitDir }: { path: string; gitDir: string },
): Promise<string> {
  const text = (await readRegular(join(gitDir, 'HEAD'), 100)) ?? ''
  if (/^[0-9a-f]{40}([0-9a-f]{24})?\n$/.test(text)) return text.trim()
  return (await readCommit(git, path, 'HEAD')).sha
}
