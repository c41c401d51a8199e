/** Merges a loop's work into its base, or into the branch of its group, together with other tasks that land there. */
import type { NewEvent } from '../../core/event.ts'
import type { Loop } from '../../core/loop.ts'
import type { Behind, LandOutcome } from '../../core/place.ts'
import { landsOn } from '../../core/standing.ts'
import type { Step } from '../../core/step.ts'
import type { Advance } from '../../vcs/landings.ts'
import type { IntegrationRequest, Into, PartOutcome } from '../../vcs/merges.ts'
import { checkBranch, placeOf } from '../place-of.ts'
import type { LandRequest, Performed, Ports } from '../ports.ts'

export async function land(
  { sha, gates }: Step & { do: 'land' },
  loop: Loop,
  ports: Ports,
  signal: AbortSignal,
): Promise<Performed> {
  await checkBranch(loop, ports)
  const into = landsOn(loop)
  if (into === null) throw new Error(`loop ${loop.id} has no place yet`)
  const { outcome, checked } = await ports.landings.ask({
    task: loop.id,
    into,
    loop,
    sha,
    gates,
    ports,
    signal,
  })
  const events = checked.map((data): NewEvent => ({ type: 'gate.completed', data }))
  return { events: [...events, { type: 'loop.integrated', data: { outcome, cycle: loop.review.cycle } }] }
}

export function intoOf(loop: Loop): Into {
  const place = placeOf(loop)
  const branch = landsOn(loop) ?? place.base
  if (branch !== place.target) return { branch }
  // Not the commit where this task starts: that may contain the work of tasks without a group.
  return { branch, from: place.targetFrom ?? place.root ?? place.baseCommit }
}

export const keyOf = ({ task }: { task: number }) => String(task)

export function partOf(request: LandRequest): IntegrationRequest['parts'][number] {
  const { loop, sha: commit } = request
  return { key: keyOf(request), commit, branch: placeOf(loop).branch, message: mergeMessage(loop) }
}

export function mergeMessage(loop: Loop): string {
  return `Merge ${placeOf(loop).branch}: ${loop.task.title}`
}

export function limitOf({ loop, ports }: LandRequest): number {
  return ports.settings.limitsFor(loop.task).gate
}

/** The outcome for all parts together. */
interface LandingEnd {
  into: Into
  /** The current commit of the branch. Work that did not land must be merged with it. */
  tip: string
  /** The merged result of all parts. */
  commit: string
  tree: string
  /** Null if the branch was not supposed to move. */
  moved: Exclude<Advance, { kind: 'moved' }> | null
}

/** The outcome of a landing for one of its parts. */
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
