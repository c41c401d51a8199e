/**
 * The merge of another branch into the loop's own branch, which comes before anything else:
 *
 *   begin ──conflict──► resolve ──session ends──► commit ──► checked and reviewed like any other change
 *     │clean               ▲                        │marks are left, or a hook refuses
 *     └────► commit        └────────────────────────┘  twice: the merge is abandoned, and a person is asked
 */
import type { EventData } from '../event.ts'
import { applyChange, type Change, changes, type Loop, type Phase } from '../loop.ts'
import type { Unmerged } from '../place.ts'
import { nextTry } from '../policy/failure.ts'
import { mostUnresolved } from '../policy/fixed-limits.ts'
import type { Terms } from '../policy/terms.ts'
import { noTries, type SessionOutcome } from '../session/session.ts'
import { inOneLine } from '../session/tool-request.ts'
import { committer } from '../standing.ts'
import { block, blockedEvent, conflictDetail, fail, recorded, type Step } from '../step.ts'
import { type ConflictFile, newResolving, type Resolution, type Resolving } from './landing-state.ts'
import { noAsks } from './review-state.ts'
import type { Placed, Ruling } from './ruling.ts'

export function decideResolve(loop: Placed, terms: Terms): Ruling {
  const { resolving } = loop.landing
  const { refusal } = loop.check
  const { cycle } = loop.review
  if (!resolving) return { go: 'develop' }
  if (refusal) {
    const why = `A hook refused the merge: ${inOneLine(refusal.output, longestWords)}`
    return recorded({ type: 'loop.unresolved', data: { files: [], why, cycle } })
  }
  // Umpire never hands a person's resolution to a resolver: it commits it unchanged, or leaves it in the worktree.
  if (!terms.unattended && resolving.unresolved > 0) return block(loop, 'conflict', detailOf(loop, resolving))
  if (resolving.unresolved >= mostUnresolved) return giveUp(loop, resolving)
  const { other, stage, told } = resolving
  switch (stage) {
    case 'begin':
      return { do: 'merge', other }
    case 'resolve': {
      const next = nextTry(loop.turn.tries, terms.agentRetries)
      if (next.kind === 'give-up') return fail(loop, next.reason, `The resolver failed: ${next.detail}`)
      const { notBefore, prompt } = next
      return { do: 'resolve', attempt: nextAttempt(loop), notBefore, told, prompt }
    }
    case 'commit': {
      const what = resolving.session === null ? 'update the branch' : 'resolve conflicts'
      const subject = `Merge ${other.branch}: ${what}`
      return { do: 'conclude', other, session: resolving.session ?? committer(loop), subject }
    }
  }
}

const longestWords = 500

function nextAttempt({ landing: { resolver }, turn: { iteration }, review: { cycle } }: Loop): number {
  const isSameTurn = resolver?.iteration === iteration && resolver.cycle === cycle + 1
  return isSameTurn ? resolver.attempt + 1 : 1
}

function giveUp(loop: Loop, resolving: Resolving): Step {
  // The recovery commands depend on the state of the loop after the merge was abandoned.
  const then = applyChange(loop, abandoned(resolving))
  return {
    do: 'abandon',
    events: [
      { type: 'loop.abandoned', data: { cycle: loop.review.cycle } },
      blockedEvent(then, 'conflict', detailOf(loop, resolving)),
    ],
  }
}

/** Approved work that could not land is still approved. A task that begins with a conflict still has to merge it first. */
export function abandoned(resolving: Resolving): Change {
  switch (resolving.why) {
    case 'conflict':
      return { turn: { phase: 'land' }, landing: { resolving: null } }
    case 'gate':
      return { turn: { phase: 'develop' }, landing: { resolving: null } }
    case 'start':
      return { landing: { resolving: { ...resolving, stage: 'begin', unresolved: 0, session: null } } }
  }
}

function detailOf({ work: { place } }: Loop, { other, files, told }: Resolving): string {
  const named = files.length > 0 ? files : other.files
  const conflict = conflictDetail([place?.branch ?? '', other.branch], named)
  return told === null ? conflict : `${conflict} ${told}`
}

/** Grants one more review, because it is not the work's fault that other work landed first. */
export function resolvingBegun(loop: Loop, { why, other }: EventData['loop.resolving']): Change {
  const {
    policy,
    review: { cycle, cyclesGranted },
    landing: { setbacks },
  } = loop
  const reviews = Math.max(cyclesGranted, cycle + 1)
  return {
    turn: { phase: 'resolve', tries: noTries },
    standing: { verdict: null },
    landing: {
      outcome: null,
      resolving: newResolving(why, other, [], why === 'gate' ? 'develop' : 'check'),
      setbacks: why === 'gate' ? { ...setbacks, gates: setbacks.gates + 1 } : setbacks,
    },
    review: {
      // The next review is another cycle.
      reviewing: null,
      asks: noAsks,
      panel: [],
      cyclesGranted: reviews,
    },
    check: { failures: 0 },
    policy: policy && { ...policy, maxCycles: Math.max(policy.maxCycles, reviews) },
  }
}

/** A loop that builds on work that conflicts begins with a merge. */
export function begunUnmerged(unmerged: Unmerged[] = [], phase: Phase = 'develop'): Change {
  const [first, ...rest] = unmerged
  if (!first) return {}
  const after = phase === 'check' ? 'check' : 'develop'
  return { turn: { phase: 'resolve' }, landing: { resolving: newResolving('start', first, rest, after) } }
}

export function merging(loop: Loop, { outcome, files, conflicts, left }: EventData['loop.merging']): Change {
  const { resolving } = loop.landing
  if (!resolving) return {}
  switch (outcome) {
    case 'conflict':
      return {
        landing: {
          resolving: { ...withoutConflicts(resolving), stage: 'resolve', files, ...known(conflicts, left) },
        },
      }
    case 'clean':
      return {
        landing: { resolving: { ...withoutConflicts(resolving), stage: 'commit', files: [], session: null } },
      }
    case 'contained':
      // The branch contains the other one already. Nothing prevents landing any more, and the approved work is unchanged.
      return resolving.why === 'conflict'
        ? { turn: { phase: 'land' }, landing: { resolving: null } }
        : mergeOver(resolving)
  }
}

/** A committed merge withdraws the approval, because the approved work was a different tree. */
export function mergeCommitted(loop: Loop, commit: EventData['loop.committed']): Change {
  const { resolving } = loop.landing
  if (!resolving) return {}
  const { branch } = resolving.other
  const resolutions = unreviewed(loop, resolving, commit)
  const merged = { branch, tree: commit.tree, ...(resolutions.length > 0 && { resolutions }) }
  return changes(mergeOver(resolving), { landing: { approval: null }, work: { merged } })
}

/**
 * The resolutions that no reviewer has approved yet. Work that meets a conflict when landing was approved before it. Only
 * a task that begins with several merges makes them one after the other before the first review.
 */
function unreviewed(
  { work: { merged } }: Loop,
  { why, other, conflicts, left }: Resolving,
  { sha, from }: EventData['loop.committed'],
): Resolution[] {
  const before = why === 'start' ? (merged?.resolutions ?? []) : []
  if (conflicts === undefined || left === undefined) return before
  const { branch, commit: theirs } = other
  return [...before, { branch, sha, ours: from, theirs, left, conflicts }]
}

function withoutConflicts({ conflicts: _, left: __, ...resolving }: Resolving): Resolving {
  return resolving
}

function known(conflicts?: ConflictFile[], left?: string): Pick<Resolving, 'conflicts' | 'left'> {
  return conflicts === undefined || left === undefined ? {} : { conflicts, left }
}

function mergeOver({ why, next, after }: Resolving): Change {
  const [first, ...rest] = next
  const over: Change = { turn: { tries: noTries } }
  if (first)
    return changes(over, {
      turn: { phase: 'resolve' },
      landing: { resolving: newResolving(why, first, rest, after) },
    })
  return changes(over, { turn: { phase: after }, landing: { resolving: null } })
}

export function unresolved(loop: Loop, { files, why }: EventData['loop.unresolved']): Change {
  const { resolving } = loop.landing
  return {
    check: { refusal: null },
    landing: {
      resolving: resolving && {
        ...leftUnresolved(resolving, why),
        files: files.length > 0 ? files : resolving.files,
      },
    },
  }
}

function leftUnresolved(resolving: Resolving, told: string): Resolving {
  return { ...resolving, stage: 'resolve', unresolved: resolving.unresolved + 1, told, session: null }
}

export function mergeAbandoned(loop: Loop): Change {
  return loop.landing.resolving ? abandoned(loop.landing.resolving) : {}
}

/** Null if the session failed in a way that is handled like the failure of any other agent. */
export function resolverEnded(
  { landing: { resolving } }: Loop,
  session: string,
  outcome: SessionOutcome,
  gaveUp: string | null,
): Change | null {
  if (!resolving) return {}
  if (outcome.kind === 'done' && gaveUp !== null) {
    const told = `The resolver says that it can't resolve this: ${gaveUp}`
    return {
      landing: { resolving: { ...leftUnresolved(resolving, told), unresolved: mostUnresolved } },
      turn: { tries: noTries },
    }
  }
  if (outcome.kind === 'done')
    return { landing: { resolving: { ...resolving, stage: 'commit', session } }, turn: { tries: noTries } }
  // Its changes are in the worktree, and the next resolver continues from them.
  if (outcome.kind === 'failed' && outcome.class === 'timeout')
    return { landing: { resolving: leftUnresolved(resolving, outcome.detail) }, turn: { tries: noTries } }
  return null
}
