/**
 * The policy as it applies to a loop at this moment. A step that a person asked for follows the same rules as any other,
 * with three differences: the limits on rounds do not apply, nothing goes back to the developer by itself, and after the
 * step the loop stops and asks the person again. All of that is expressed here, so that the rules of the phases need not
 * ask whether a person asked for the step.
 */
import type { Loop } from '../loop.ts'
import type { Policy } from './policy.ts'

export interface Terms extends Policy {
  /** No person asked for this step. Problems that can be fixed go back to the developer, and the loop continues. */
  unattended: boolean
  /** It is not enough that the developer's session ended: the developer has to say that the task is done. */
  needsClaim: boolean
  /** The work goes to a reviewer once its gates have passed. */
  wantsReview: boolean
  /** The step after which the loop stops, whatever its outcome. */
  stopsAfter: 'review' | 'improve' | null
}

export function termsFor({ asked }: Pick<Loop, 'asked'>, policy: Policy): Terms {
  const reviewed = policy.reviewed && policy.trigger !== 'explicit'
  const stopsAfter = asked === 'review' || asked === 'improve' ? asked : null
  const limits = {
    maxCycles: Number.POSITIVE_INFINITY,
    maxIterations: Number.POSITIVE_INFINITY,
    // After the first failed gate the person decides what follows.
    maxGateFailures: 1,
  }
  return {
    ...policy,
    ...(asked === null ? {} : limits),
    unattended: asked === null,
    needsClaim: policy.until === 'claim' && asked === null,
    wantsReview: asked === 'review' || reviewed,
    stopsAfter,
  }
}
