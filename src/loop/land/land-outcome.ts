/** The outcome of a landing for one of its parts. */
import type { Behind, LandOutcome } from '../../core/place.ts'
import type { Advance } from '../../vcs/landings.ts'
import type { Into, PartOutcome } from '../../vcs/merges.ts'
import { placeOf } from '../place-of.ts'
import type { LandRequest, Ports } from '../ports.ts'

/** The outcome for all parts together. */
export interface LandingEnd {
  into: Into
  /** The current commit of the branch. Work that did not land must be merged with it. */
  tip: string
  /** The merged result of all parts. */
  commit: string
  tree: string
  /** Null if the branch was not supposed to move. */
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
      // The work is already in the base, or in another part.
      if (moved?.kind === 'waits' && part.commit !== tip) return waitsOn(moved)
      return { kind: 'landed', commit: part.commit, tree: null, checkout: null }
    case 'conflict': {
      const { files } = part
      // The conflict is not with the branch, so there is nothing yet to resolve it with.
      if (moved?.kind === 'waits' && !part.with.includes(into.branch))
        return waitsOn(moved, { tasks: part.with.map(Number), why: 'conflict', names: files })
      return { kind: 'conflict', between: [placeOf(loop).branch, into.branch], files, commit: tip }
    }
    case 'refused':
      return { kind: 'refused', output: redact(part.output) }
    case 'merged':
      if (moved?.kind === 'waits') return waitsOn(moved)
      if (moved?.kind !== 'advanced') throw new Error(`task ${loop.id} was merged and not landed`)
      // All parts share this commit: the gates ran on the merged result of all of them.
      return { kind: 'landed', commit, tree, checkout: moved.checkout }
  }
}

export function waitsOn(
  { checkout, branch, ref, why }: Extract<Advance, { kind: 'waits' }>,
  behind?: Behind,
): LandOutcome {
  return { kind: 'waits', checkout, branch, ref, why, ...(behind && { behind }) }
}
