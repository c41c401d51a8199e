/** What follows from the attempt to merge a loop's work into its base. */
import type { LandOutcome } from './event.ts'
import type { Policy } from './limits.ts'
import type { Loop } from './loop.ts'
import { block, names, record, type Step } from './step.ts'

export function decideLanding(loop: Loop, policy: Policy): Step {
  const { landing, head, place, cycle } = loop
  // `person.ts` and `decide-verdict.ts` let nothing come here that has no work.
  if (!head || !place) throw new Error(`loop ${loop.id} has nothing to land`)
  if (landing === null) return record({ type: 'loop.landing', data: { base: place.base, cycle } })
  if (landing === 'begun') return { do: 'land', sha: head.sha, gates: policy.gates }
  if (landing.kind === 'landed') {
    const { commit, tree, checkout } = landing
    return record({ type: 'loop.landed', data: { base: place.base, commit, tree, checkout, cycle } })
  }
  const [reason, detail] = obstacle(landing, place.base)
  return block(loop, reason, detail)
}

function obstacle(
  landing: Exclude<LandOutcome, { kind: 'landed' }>,
  base: string,
): ['conflict' | 'gate' | 'checkout_dirty', string] {
  switch (landing.kind) {
    case 'conflict':
      return [
        'conflict',
        `${landing.between.join(' and ')} conflict: ${listed(landing.files)}. Both are kept.`,
      ]
    case 'refused':
      return ['gate', `A hook refused the merge into ${base}: ${landing.output}`]
    case 'gate':
      return ['gate', `Merged with ${base}, gate ${names(landing.gates)} fails; ${base} was not touched.`]
    case 'waits':
      return [
        'checkout_dirty',
        `The merged result waits on ${landing.branch}, because ${base} is checked out: ${landing.why}.`,
      ]
  }
}

const mostNamed = 5

function listed(files: string[]): string {
  const rest = files.length - mostNamed
  const named = files.slice(0, mostNamed).join(', ')
  return rest > 0 ? `${named} and ${rest} more` : named
}
