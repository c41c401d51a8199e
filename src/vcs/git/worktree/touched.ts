import type { Place } from '../../../core/place.ts'
import type { GitContext } from '../context.ts'
import { lookAtChanges, requireCheckout } from './look.ts'

const maxBytes = 16 * 1024 * 1024

/** The files that differ from what the loop began with, committed or not. A glance for the order of work, not a judgement. */
export async function touched(git: GitContext, place: Place): Promise<string[]> {
  const { head, changes } = await lookAtChanges(git, await requireCheckout(git, place))
  const from = place.root ?? place.baseCommit
  const paths = changes.map(({ path }) => path)
  if (head === '' || head === from) return paths
  const args = ['--bare', 'diff-tree', '-r', '-z', '--name-only', '--no-renames', from, head]
  const { stdout } = await git.run(args, { cwd: git.common, maxBytes })
  const committed = stdout.toString('utf8').split('\0')
  return [...new Set([...paths, ...committed.filter((path) => path !== '')])]
}
