/** What landing, and the merge that it can lead to, change in the state. */

import type { EventData } from '../event.ts'
import { type Loop, noAsks, noTries } from '../loop.ts'
import type { LandOutcome, Unmerged } from '../place.ts'
import type { SessionOutcome } from '../session/session.ts'
import { abandoned } from './resolve.ts'
import {
  beginning,
  type ConflictFile,
  mostUnresolved,
  noSetbacks,
  type Resolution,
  type Resolving,
  type Setbacks,
} from './resolving.ts'

export function integrated(loop: Loop, { outcome }: EventData['loop.integrated']): Partial<Loop> {
  return { landing: outcome, setbacks: withOutcome(loop.setbacks, outcome) }
}

/** What it would have brought along is approved now, or is where it would have got: the landing is begun anew. */
export function freed({ landing }: Loop): Partial<Loop> {
  return landing !== null && landing !== 'begun' && landing.kind === 'carries' ? { landing: null } : {}
}

/** Conflicts count only in a row. */
function withOutcome(setbacks: Setbacks, { kind }: LandOutcome): Setbacks {
  if (kind === 'landed') return noSetbacks
  return { ...setbacks, conflicts: kind === 'conflict' ? setbacks.conflicts + 1 : 0 }
}

/** One more review is granted: it is not the work's fault that somebody else was quicker. */
export function resolvingBegun(loop: Loop, { why, other }: EventData['loop.resolving']): Partial<Loop> {
  const { policy, cycle, cyclesGranted, setbacks } = loop
  const reviews = Math.max(cyclesGranted, cycle + 1)
  return {
    phase: 'resolve',
    verdict: null,
    landing: null,
    resolving: beginning(why, other, [], why === 'gate' ? 'develop' : 'check'),
    tries: noTries,
    // The next review is another cycle.
    reviewing: null,
    asks: noAsks,
    panel: [],
    gateFailures: 0,
    setbacks: why === 'gate' ? { ...setbacks, gates: setbacks.gates + 1 } : setbacks,
    cyclesGranted: reviews,
    policy: policy && { ...policy, maxCycles: Math.max(policy.maxCycles, reviews) },
  }
}

/** A loop that begins with what conflicts. */
export function begunUnmerged(unmerged: Unmerged[] = [], phase: Loop['phase'] = 'develop'): Partial<Loop> {
  const [first, ...rest] = unmerged
  if (!first) return {}
  const after = phase === 'check' ? 'check' : 'develop'
  return { phase: 'resolve', resolving: beginning('start', first, rest, after) }
}

export function merging(
  loop: Loop,
  { outcome, files, conflicts, left }: EventData['loop.merging'],
): Partial<Loop> {
  const { resolving } = loop
  if (!resolving) return {}
  switch (outcome) {
    case 'conflict':
      return {
        resolving: { ...withoutConflicts(resolving), stage: 'resolve', files, ...known(conflicts, left) },
      }
    case 'clean':
      return { resolving: { ...withoutConflicts(resolving), stage: 'commit', files: [], session: null } }
    case 'contained':
      // Nothing is in the way of landing any more, and what was approved is as it was.
      return resolving.why === 'conflict' ? { phase: 'land', resolving: null } : mergeOver(resolving)
  }
}

/** Whatever it came to, it is another work than the one that was approved. */
export function mergeCommitted(loop: Loop, commit: EventData['loop.committed']): Partial<Loop> {
  const { resolving } = loop
  if (!resolving) return {}
  const { branch } = resolving.other
  const resolutions = unreviewed(loop, resolving, commit)
  const merged = { branch, tree: commit.tree, ...(resolutions.length > 0 && { resolutions }) }
  return { ...mergeOver(resolving), approval: null, merged }
}

/** What landed nowhere was approved before; only what a task begins with is one merge after the other, and then reviewed. */
function unreviewed(
  { merged }: Loop,
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

function mergeOver({ why, next, after }: Resolving): Partial<Loop> {
  const [first, ...rest] = next
  const over = { tries: noTries }
  if (first) return { ...over, phase: 'resolve', resolving: beginning(why, first, rest, after) }
  return { ...over, phase: after, resolving: null }
}

export function unresolved(loop: Loop, { files, why }: EventData['loop.unresolved']): Partial<Loop> {
  const { resolving } = loop
  return {
    refusal: null,
    resolving: resolving && {
      ...leftUnresolved(resolving, why),
      files: files.length > 0 ? files : resolving.files,
    },
  }
}

function leftUnresolved(resolving: Resolving, told: string): Resolving {
  return { ...resolving, stage: 'resolve', unresolved: resolving.unresolved + 1, told, session: null }
}

export function mergeAbandoned(loop: Loop): Partial<Loop> {
  return loop.resolving ? abandoned(loop.resolving) : {}
}

/** Null where the outcome is a failure like any other agent's. */
export function resolverEnded(
  { resolving }: Loop,
  session: string,
  outcome: SessionOutcome,
  gaveUp: string | null,
): Partial<Loop> | null {
  if (!resolving) return {}
  if (outcome.kind === 'done' && gaveUp !== null) {
    const told = `The resolver says that it can't: ${gaveUp}`
    return { resolving: { ...leftUnresolved(resolving, told), unresolved: mostUnresolved }, tries: noTries }
  }
  if (outcome.kind === 'done')
    return { resolving: { ...resolving, stage: 'commit', session }, tries: noTries }
  // What it did lies there, and the next one goes on from it.
  if (outcome.kind === 'failed' && outcome.class === 'timeout')
    return { resolving: leftUnresolved(resolving, outcome.detail), tries: noTries }
  return null
}

/** A session that has just begun. */
export function sessionBegun(
  loop: Loop,
  { role, session, iteration, cycle, attempt }: EventData['session.started'],
): Pick<Loop, 'developer' | 'resolver'> {
  return {
    developer: role === 'developer' ? session : loop.developer,
    resolver: role === 'resolver' ? { iteration, cycle, attempt } : loop.resolver,
  }
}
