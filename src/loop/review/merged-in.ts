import type { Loop } from '../../core/loop.ts'
import { type MergedInBrief, mergesFile, type SettledMerge } from '../../prompts/merged-in.ts'
import { intentionsOf } from '../land/intentions-of.ts'
import type { Ports } from '../ports.ts'

/**
 * What the reviewer is told of the merges in this work; null when the work is only its developer's. Where somebody settled
 * something it is told until that is approved, whatever a developer adds to it.
 */
export async function mergedIn(
  loop: Loop,
  tree: string,
  folder: string,
  ports: Ports,
): Promise<MergedInBrief | null> {
  const { merged } = loop
  const resolutions = merged?.resolutions ?? []
  if (!merged || (resolutions.length === 0 && merged.tree !== tree)) return null
  const settled: SettledMerge[] = []
  for (const resolution of resolutions) {
    const { branch, conflicts } = resolution
    const [intentions, compared] = await Promise.all([
      intentionsOf(branch, loop, ports),
      ports.vcs.compareMerge(resolution),
    ])
    settled.push({ branch, conflicts, intentions, ...compared })
  }
  return { branch: merged.branch, settled, file: `${folder}/${mergesFile}` }
}
