/**
 * `decide(state) → step`: every rule of a loop. It has no clock and no side effects. It returns the next step as a
 * value, and the outcome of that step comes back as events through `evolve`. A step that only records a conclusion is
 * `record`.
 *
 * A loop ends in one of three ways: approved (or completed, where no review was wanted), blocked (a person is needed),
 * or failed (Umpire could not continue). Everything else is a step that brings the loop nearer to one of them: reviews,
 * revisions, gate failures, repeated questions and repeated runs are each counted against a limit of the policy.
 *
 * The rules of each phase are in `phases/`. A phase whose rules do not apply names the phase to go to instead.
 */
import type { Loop, Phase } from './loop.ts'
import { decideCheck } from './phases/check.ts'
import { decideCommit } from './phases/commit.ts'
import { decideDevelop } from './phases/develop.ts'
import { decideJudgement } from './phases/judge.ts'
import { decideLanding } from './phases/land.ts'
import { decideResolve } from './phases/resolve.ts'
import { decideReview } from './phases/review.ts'
import { isPlaced, onceCommitted, type Rule } from './phases/ruling.ts'
import type { Policy } from './policy/policy.ts'
import { termsFor } from './policy/terms.ts'
import { isLookedAt, reachedInterval } from './review/checkpoint.ts'
import { fail, type Step } from './step.ts'

const rules: Record<Phase, Rule> = {
  develop: decideDevelop,
  commit: decideCommit,
  check: onceCommitted(decideCheck),
  review: onceCommitted(decideReview),
  judge: onceCommitted(decideJudgement),
  land: onceCommitted(decideLanding),
  resolve: decideResolve,
}

export function decide(loop: Loop): Step {
  const { policy } = loop
  if (loop.standing.status !== 'in_progress' || !policy) return { do: 'rest' }
  if (loop.turn.session) return { do: 'attend', session: loop.turn.session }
  if (loop.work.strayed) return fail(loop, 'vcs', `${loop.work.strayed} ${lookFirst}`)
  if (!isPlaced(loop)) return { do: 'open' }
  if (isAtInterval(loop, policy))
    return { do: 'checkpoint', iteration: loop.turn.done, own: isLookedAt(loop, policy) }
  const terms = termsFor(loop, policy)
  let { phase } = loop.turn
  for (let hops = 0; hops <= mostHops; hops++) {
    const ruling = rules[phase](loop, terms)
    if (!('go' in ruling)) return ruling
    phase = ruling.go
  }
  throw new Error(`loop ${loop.id}: the rules of phase ${phase} form a circle`)
}

/** `decide` never passes through more phases than this in a row. More would mean that their rules form a circle. */
const mostHops = 7

/** The developer's turn is over, its work is committed or can't be, and a checkpoint is due after this turn. */
function isAtInterval(loop: Loop, policy: Policy): boolean {
  const { phase } = loop.turn
  const isTurnOver = phase === 'check' || (phase === 'commit' && loop.check.refusal !== null)
  return isTurnOver && reachedInterval(loop, policy)
}

/** Shown when something outside the worktree changed that git or an agent would act on: committing could run a hook. */
const lookFirst =
  'Check the change, and undo it unless you made it yourself. Then umpire retry continues with the developer’s work in the worktree.'
