/** What follows from the attempt to merge a loop's work into its base, or into the branch of its group. */

import type { Loop } from '../loop.ts'
import type { Behind, LandOutcome } from '../place.ts'
import type { Policy } from '../policy/policy.ts'
import { carriedDetail } from '../schedule/carried.ts'
import { landsOn } from '../standing.ts'
import { block, feedbackEvent, names, record, type Step } from '../step.ts'
import { mostConflicts, mostReturns } from './resolving.ts'

/** Whether work that is done is to be merged at once. A review of another task's work has nothing to merge. */
export function isToLand({ place, task }: Loop, policy: Pick<Policy, 'land'>): boolean {
  return (policy.land === 'base' || place?.target !== undefined) && task.type !== 'review'
}

export function decideLanding(loop: Loop, policy: Policy): Step {
  const { landing, head, cycle } = loop
  const base = landsOn(loop)
  // `person.ts` and `decide-verdict.ts` let nothing come here that has no work.
  if (!head || base === null) throw new Error(`loop ${loop.id} has nothing to land`)
  if (landing === null) return record({ type: 'loop.landing', data: { base, cycle } })
  if (landing === 'begun') return { do: 'land', sha: head.sha, gates: policy.gates }
  if (landing.kind === 'landed') {
    const { commit, tree, checkout } = landing
    return record({ type: 'loop.landed', data: { base, commit, tree, checkout, cycle } })
  }
  return sentBack(loop, landing, base) ?? blocked(loop, landing, base)
}

/** What the loop can mend by itself. A person who asked for this one step decides on the next. */
function sentBack(loop: Loop, landing: Obstacle, base: string): Step | null {
  const { setbacks, cycle, hand } = loop
  if (hand || !('commit' in landing) || landing.commit === undefined) return null
  const other = { commit: landing.commit, branch: base }
  if (landing.kind === 'conflict' && setbacks.conflicts < mostConflicts)
    return record({
      type: 'loop.resolving',
      data: { why: 'conflict', other: { ...other, files: landing.files }, cycle },
    })
  if (landing.kind === 'gate' && !landing.alone && setbacks.gates < mostReturns)
    return record(feedbackEvent(loop, { from: 'gate', gates: landing.gates, merged: base }), {
      type: 'loop.resolving',
      data: { why: 'gate', other: { ...other, files: [] }, cycle },
    })
  return null
}

type Obstacle = Exclude<LandOutcome, { kind: 'landed' }>

function blocked(loop: Loop, landing: Obstacle, base: string): Step {
  switch (landing.kind) {
    case 'conflict':
      return block(loop, 'conflict', conflictDetail(landing.between, landing.files))
    case 'refused':
      return block(loop, 'gate', `A hook refused the merge into ${base}: ${landing.output}`)
    case 'gate': {
      const failing = landing.alone
        ? `Gate ${names(landing.gates)} fails on ${base} itself, also without this work`
        : `Merged with ${base}, gate ${names(landing.gates)} fails`
      return block(loop, 'gate', `${failing}; ${base} was not touched.`)
    }
    case 'carries':
      return block(loop, 'dependency', carriedDetail(landing.works, base))
    case 'waits': {
      const where = landing.behind
        ? `${behindDetail(landing.behind)} It can land when that has, which waits on ${landing.branch}`
        : `The merged result waits on ${landing.branch}`
      return block(loop, 'checkout_dirty', `${where}, because ${base} is checked out: ${landing.why}.`)
    }
  }
}

export function conflictDetail(between: [string, string], files: string[]): string {
  return `${between.join(' and ')} conflict: ${listed(files)}. Both are kept.`
}

function behindDetail({ tasks, why, names: named }: Behind): string {
  const others = `the work of ${tasks.length === 1 ? 'task' : 'tasks'} ${tasks.join(', ')}`
  return why === 'conflict'
    ? `It conflicts with ${others}: ${listed(named)}.`
    : `Merged with ${others}, gate ${listed(named)} fails.`
}

const mostNamed = 5

function listed(files: string[]): string {
  const rest = files.length - mostNamed
  const named = files.slice(0, mostNamed).join(', ')
  return rest > 0 ? `${named} and ${rest} more` : named
}
