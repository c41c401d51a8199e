/**
 * The merge of another branch into the loop's own, which comes before anything else:
 *
 *   begin ──conflict──► resolve ──session ends──► commit ──► checked and reviewed like any other change
 *     │clean               ▲                        │marks are left, or a hook refuses
 *     └────► commit        └────────────────────────┘  twice: given up, and a person is asked
 */

import type { Loop } from '../loop.ts'
import { committer } from '../person/resume.ts'
import { nextTry } from '../policy/failure.ts'
import type { Policy } from '../policy/policy.ts'
import { inOneLine } from '../session/tool-request.ts'
import { block, blockedEvent, fail, record, type Step } from '../step.ts'
import { conflictDetail } from './land.ts'
import { mostUnresolved, type Resolving } from './resolving.ts'

export function decideResolve(loop: Loop, policy: Policy): Step {
  const { resolving, refusal, cycle } = loop
  if (!resolving) throw new Error(`loop ${loop.id} has nothing to resolve`)
  if (refusal) {
    const why = `A hook refused the merge: ${inOneLine(refusal.output, longestWords)}`
    return record({ type: 'loop.unresolved', data: { files: [], why, cycle } })
  }
  // What the person resolved is taken as it is, or not at all; it stays in the worktree.
  if (loop.hand && resolving.unresolved > 0) return block(loop, 'conflict', detailOf(loop, resolving))
  if (resolving.unresolved >= mostUnresolved) return giveUp(loop, resolving)
  const { other, stage, told } = resolving
  switch (stage) {
    case 'begin':
      return { do: 'merge', other }
    case 'resolve': {
      const next = nextTry(loop, policy.agentRetries)
      if (next.kind === 'give-up') return fail(loop, next.reason, `The resolver failed: ${next.detail}`)
      const { notBefore, prompt } = next
      return { do: 'resolve', attempt: nextAttempt(loop), notBefore, told, prompt }
    }
    case 'commit': {
      const what = resolving.session === null ? 'keep up with it' : 'resolve conflicts'
      const subject = `Merge ${other.branch}: ${what}`
      return { do: 'conclude', other, session: resolving.session ?? committer(loop), subject }
    }
  }
}

const longestWords = 500

function nextAttempt({ resolver, iteration, cycle }: Loop): number {
  const isSameTurn = resolver?.iteration === iteration && resolver.cycle === cycle + 1
  return isSameTurn ? resolver.attempt + 1 : 1
}

function giveUp(loop: Loop, resolving: Resolving): Step {
  // As the loop will be then, because that decides what a person can do.
  const then: Loop = { ...loop, ...abandoned(resolving) }
  return {
    do: 'abandon',
    events: [
      { type: 'loop.abandoned', data: { cycle: loop.cycle } },
      blockedEvent(then, 'conflict', detailOf(loop, resolving)),
    ],
  }
}

/** Approved work that does not land is approved all the same; what is built on a conflict can't begin without it. */
export function abandoned(resolving: Resolving): Partial<Loop> {
  switch (resolving.why) {
    case 'conflict':
      return { phase: 'land', resolving: null }
    case 'gate':
      return { phase: 'develop', resolving: null }
    case 'start':
      return { resolving: { ...resolving, stage: 'begin', unresolved: 0, session: null } }
  }
}

function detailOf({ place }: Loop, { other, files, told }: Resolving): string {
  const named = files.length > 0 ? files : other.files
  const conflict = conflictDetail([place?.branch ?? '', other.branch], named)
  return told === null ? conflict : `${conflict} ${told}`
}
