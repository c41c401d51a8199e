/**
 * The policy as it applies to a loop at this moment. A step that a person asked for is taken by the same rules as any
 * other, but it is the only one: the limits on rounds do not apply to it, nothing goes back to the developer by itself,
 * and after the step the loop stops and asks the person again. All of that is said here, so that the rules of the phases
 * need not ask whether a person is behind a step.
 */
import type { Loop } from '../loop.ts'
import type { Policy } from './policy.ts'

export interface Terms extends Policy {
  /** No person asked for this step: what can be fixed goes back to the developer, and the loop goes on. */
  unattended: boolean
  /** A developer's session is not enough: it has to say that the task is done. */
  needsClaim: boolean
  /** The work goes to a reviewer once its gates have passed. */
  wantsReview: boolean
  /** The step after which the loop stops, whatever came of it. */
  stopsAfter: 'review' | 'improve' | null
}

export function termsFor({ asked }: Pick<Loop, 'asked'>, policy: Policy): Terms {
  const reviewed = policy.reviewed && policy.trigger !== 'explicit'
  const stopsAfter = asked === 'review' || asked === 'improve' ? asked : null
  const limits = {
    maxCycles: Number.POSITIVE_INFINITY,
    maxIterations: Number.POSITIVE_INFINITY,
    // The person decides what follows from a gate that fails.
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
