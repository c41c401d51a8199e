/** What follows from the attempt to merge a loop's work into its base, or into the branch of its group. */

import type { EventData } from '../event.ts'
import { listed } from '../listed.ts'
import type { Change, Loop } from '../loop.ts'
import type { Behind, LandOutcome } from '../place.ts'
import { mostConflicts, mostReturns } from '../policy/fixed-limits.ts'
import type { Policy } from '../policy/policy.ts'
import type { Terms } from '../policy/terms.ts'
import { carriedDetail } from '../schedule/carried-work.ts'
import { branchToLandOn } from '../standing.ts'
import { block, conflictDetail, feedbackEvent, names, recorded, type Step } from '../step.ts'
import { noSetbacks, type Setbacks } from './landing-state.ts'
import type { Committed } from './ruling.ts'

/** Whether work that is done is to be merged at once. A review of another task's work has nothing to merge. */
export function isToLand({ work: { place }, task }: Loop, policy: Pick<Policy, 'land'>): boolean {
  return (policy.land === 'base' || place?.target !== undefined) && task.type !== 'review'
}

export function decideLanding(loop: Committed, terms: Terms): Step {
  const { outcome } = loop.landing
  const { cycle } = loop.review
  const base = branchToLandOn(loop.work.place, loop.asked)
  if (outcome === null) return recorded({ type: 'loop.landing', data: { base, cycle } })
  if (outcome === 'begun') return { do: 'land', sha: loop.work.head.sha, gates: terms.gates }
  if (outcome.kind === 'landed') {
    const { commit, tree, checkout } = outcome
    return recorded({ type: 'loop.landed', data: { base, commit, tree, checkout, cycle } })
  }
  return sentBack(loop, terms, outcome, base) ?? blocked(loop, outcome, base)
}

/** The step for an obstacle that the loop can fix by itself. After a step by hand, the person decides instead. */
function sentBack(loop: Committed, { unattended }: Terms, landing: Obstacle, base: string): Step | null {
  const { setbacks } = loop.landing
  const { cycle } = loop.review
  if (!unattended || !('commit' in landing) || landing.commit === undefined) return null
  const other = { commit: landing.commit, branch: base }
  if (landing.kind === 'conflict' && setbacks.conflicts < mostConflicts)
    return recorded({
      type: 'loop.resolving',
      data: { why: 'conflict', other: { ...other, files: landing.files }, cycle },
    })
  if (landing.kind === 'gate' && !landing.alone && setbacks.gates < mostReturns)
    return recorded(feedbackEvent(loop, { from: 'gate', gates: landing.gates, merged: base }), {
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
        ? `Gate ${names(landing.gates)} fails on ${base} itself, even without this work`
        : `Gate ${names(landing.gates)} fails after the merge with ${base}`
      return block(loop, 'gate', `${failing}. ${base} was not changed.`)
    }
    case 'carries':
      return block(loop, 'dependency', carriedDetail(landing.works, base))
    case 'waits': {
      const where = landing.behind
        ? `${behindDetail(landing.behind)} It can land after that work, which waits on ${landing.branch}`
        : `The merged result waits on ${landing.branch}`
      return block(loop, 'checkout_dirty', `${where}, because ${base} is checked out: ${landing.why}.`)
    }
  }
}

function behindDetail({ tasks, why, names: named }: Behind): string {
  const others = `the work of ${tasks.length === 1 ? 'task' : 'tasks'} ${tasks.join(', ')}`
  return why === 'conflict'
    ? `It conflicts with ${others}: ${listed(named)}.`
    : `Gate ${listed(named)} fails after a merge with ${others}.`
}

export function integrated(loop: Loop, { outcome }: EventData['loop.integrated']): Change {
  return { landing: { outcome, setbacks: withOutcome(loop.landing.setbacks, outcome) } }
}

/** Only conflicts in a row are counted. */
function withOutcome(setbacks: Setbacks, { kind }: LandOutcome): Setbacks {
  if (kind === 'landed') return noSetbacks
  return { ...setbacks, conflicts: kind === 'conflict' ? setbacks.conflicts + 1 : 0 }
}
