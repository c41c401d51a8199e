/** What the merge of several parts came to for one of them. */

import type { Behind, LandOutcome } from '../../core/place.ts'
import type { Advance } from '../../vcs/landings.ts'
import type { Into, PartOutcome } from '../../vcs/merges.ts'
import { placeOf } from '../place-of.ts'
import type { LandRequest, Ports } from '../ports.ts'

/** How it ended for all of them. */
export interface LandingEnd {
  into: Into
  /** Where the branch is now: what did not land has to come to terms with this. */
  tip: string
  /** What all parts came to. */
  commit: string
  tree: string
  /** Null when the branch was not to be moved. */
  moved: Exclude<Advance, { kind: 'moved' }> | null
}

export function landOutcome(
  { loop }: LandRequest,
  part: Exclude<PartOutcome, { kind: 'damaged' }>,
  { into, tip, commit, tree, moved }: LandingEnd,
  { redact }: Ports,
): LandOutcome {
  switch (part.kind) {
    case 'contained':
      // In the base, or in another part.
      if (moved?.kind === 'waits' && part.commit !== tip) return waitsOn(moved)
      return { kind: 'landed', commit: part.commit, tree: null, checkout: null }
    case 'conflict': {
      const { files } = part
      // Not with the branch: there is nothing yet that it could be resolved with.
      if (moved?.kind === 'waits' && !part.with.includes(into.branch))
        return waitsOn(moved, { tasks: part.with.map(Number), why: 'conflict', names: files })
      return { kind: 'conflict', between: [placeOf(loop).branch, into.branch], files, commit: tip }
    }
    case 'refused':
      return { kind: 'refused', output: redact(part.output) }
    case 'merged':
      if (moved?.kind === 'waits') return waitsOn(moved)
      if (moved?.kind !== 'advanced') throw new Error(`task ${loop.id} was merged and not landed`)
      // With the others: what was gated is what all of them came to.
      return { kind: 'landed', commit, tree, checkout: moved.checkout }
  }
}

export function waitsOn(
  { checkout, branch, ref, why }: Extract<Advance, { kind: 'waits' }>,
  behind?: Behind,
): LandOutcome {
  return { kind: 'waits', checkout, branch, ref, why, ...(behind && { behind }) }
}
