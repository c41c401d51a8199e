/**
 * Lands the approved work of several tasks on one branch together. It is merged one after the other in one checkout, the
 * gates run once, and the branch moves by compare-and-swap. If the branch moved meanwhile, everything is done again. If a
 * gate fails, bisection finds the first part that makes it fail. That part is sent back, and the others land without it.
 * If the worker is killed anywhere in between, the next worker starts again and finds what has already landed.
 */
import { type SetupError, VcsError } from '../../core/errors.ts'
import type { GateResult } from '../../core/event.ts'
import type { Behind, LandOutcome } from '../../core/place.ts'
import { mostUnsteady } from '../../core/policy/fixed-limits.ts'
import type { Advance } from '../../vcs/landings.ts'
import type { IntegratedParts, PartOutcome } from '../../vcs/merges.ts'
import { checkoutNeeds } from '../check/checkout-needs.ts'
import type { LandAnswer, LandRequest, Ports } from '../ports.ts'
import { type BatchCheck, checkBatch, type GatesOfPart, resultsFor, sharedGates } from './check-batch.ts'
import { intoOf, keyOf, landOutcome, limitOf, partOf, waitsOn } from './land.ts'
import type { Answered } from './merge-queue.ts'
import { type WaitingPart, waitingBeside } from './waiting-work.ts'

type Answers = Map<LandRequest, Answered<LandAnswer>>

/** Throws if one of these must not land after all. */
type Requirement = (batch: LandRequest[]) => Promise<void>

/** A request that is cancelled, or that another worker has claimed, leaves the batch. The others start again without it. */
export async function landBatch(batch: LandRequest[], require: Requirement): Promise<Answers> {
  const answers: Answers = new Map()
  let left = batch
  while (left.length > 0) {
    try {
      for (const [request, answered] of await landTogether(left, require)) answers.set(request, answered)
      return answers
    } catch (error) {
      const gone = await findGone(left)
      if (gone.size === 0) throw error
      for (const [request, why] of gone) answers.set(request, { kind: 'error', error: why })
      left = left.filter((request) => !gone.has(request))
    }
  }
  return answers
}

async function findGone(batch: LandRequest[]): Promise<Map<LandRequest, unknown>> {
  const gone = new Map<LandRequest, unknown>()
  for (const request of batch) {
    if (request.signal.aborted) gone.set(request, request.signal.reason)
    else await request.ports.confirm().catch((error: unknown) => gone.set(request, error))
  }
  return gone
}

async function landTogether(batch: LandRequest[], require: Requirement): Promise<Answers> {
  const [lead] = batch
  if (!lead) return new Map()
  const signal = AbortSignal.any(batch.map((request) => request.signal))
  signal.throwIfAborted()
  const confirm = async () => {
    for (const { ports } of batch) await ports.confirm()
  }
  const ports: Ports = {
    ...lead.ports,
    vcs: lead.ports.vcs.guardedBy(confirm),
    attempts: lead.ports.attempts.guardedBy(confirm),
  }
  return createLanding(batch, lead, { ports, require }, signal).run()
}

/** A merged part, in merge order, with the resulting commit. Work that only waits has no request. */
interface Merged {
  task: number
  request: LandRequest | null
  commit: string
  tree: string
}

function createLanding(
  batch: LandRequest[],
  { loop: lead }: LandRequest,
  { ports, require }: { ports: Ports; require: Requirement },
  signal: AbortSignal,
) {
  const { vcs } = ports
  const into = intoOf(lead)
  // The checkout is named after a task, so that the worker that continues this task after a crash removes it.
  const name = `${lead.id}-land.${lead.version}`
  const needs = checkoutNeeds(lead, ports)
  const checked = new Map<LandRequest, GateResult[]>(batch.map((request) => [request, []]))
  const blamed = new Map<LandRequest, { outcome: FailedGates; behind: Behind | null }>()
  const broken = new Map<LandRequest, SetupError>()
  /** Waiting tasks that must not be merged together with these, because they make the gates fail. */
  const leftOut = new Set<number>()
  let left = batch

  async function run(): Promise<Answers> {
    try {
      return await tryUntilDone()
    } finally {
      await vcs.removeCheckout(name)
    }
  }

  async function tryUntilDone(): Promise<Answers> {
    let unsteady = 0
    for (;;) {
      const also = (await waitingBeside(batch, into, ports)).filter(({ task }) => !leftOut.has(task))
      // Waiting work goes first. Work that conflicts with it must not take its place.
      const parts = [...also.map(({ part }) => part), ...left.map(partOf)]
      const hookLimitMs = Math.max(...batch.map(limitOf))
      const inCheckout =
        ports.settings.setup.length > 0 || [...also, ...left].some(({ gates: own }) => own.length > 0)
      const found = await vcs.integrateParts({ name, into, parts, hookLimitMs, inCheckout }, needs, signal)
      const { base, commit } = found
      if (commit === base) return conclude(found, null)
      const merged = mergedOf(found.parts, left)
      const carried = carriedOf(found, merged, left)
      const gates = sharedGates(gatesOf(found.parts, merged, left, also))
      const onResults = (results: GateResult[]) => {
        for (const request of carried) checked.get(request)?.push(...resultsFor(request.gates, results))
      }
      const judged = await checkBatch(
        { ...found, name, merged, gates },
        { lead, needs, ports, onResults },
        signal,
      )
      if (judged.kind === 'passed') {
        await require(left)
        const moved = await vcs.advance(into, base, commit)
        if (moved.kind !== 'moved') return conclude(found, moved)
      } else if (judged.kind === 'again') {
        unsteady += 1
        if (unsteady > mostUnsteady) throw judged.error
      } else if (blame(judged, found, merged, carried) === 'done')
        return conclude({ ...found, parts: found.parts.filter(({ kind }) => kind !== 'merged') }, null)
      signal.throwIfAborted()
    }
  }

  /** Returns `done` if nothing is left that could land. */
  function blame(
    { number, gates, error }: Extract<BatchCheck, { kind: 'failed' }>,
    { tree }: IntegratedParts,
    merged: Merged[],
    carried: LandRequest[],
  ): 'done' | 'goes_on' {
    const outcome: FailedGates = { kind: 'gate', gates, tree }
    if (number === null) {
      // A setup command that fails everywhere must be fixed by a person. No task's work can fix it.
      for (const request of carried) {
        if (error) broken.set(request, error)
        else blamed.set(request, { outcome: { ...outcome, alone: true }, behind: null })
      }
      return 'done'
    }
    const culprit = merged[number - 1]
    if (!culprit) throw new Error(`there is no part ${number}`)
    const { request } = culprit
    if (request === null) {
      leftOut.add(culprit.task)
      return 'goes_on'
    }
    const tasks = merged.slice(0, number - 1).map(({ task }) => task)
    const behind: Behind = { tasks, why: 'gate', names: gates.map((gate) => gate.name) }
    blamed.set(request, { outcome, behind: tasks.length > 0 ? behind : null })
    left = left.filter((each) => each !== request)
    return left.length === 0 && merged.length === 1 ? 'done' : 'goes_on'
  }

  function conclude(
    { base, commit, tree, parts }: IntegratedParts,
    moved: Exclude<Advance, { kind: 'moved' }> | null,
  ): Answers {
    const answers: Answers = new Map()
    const tip = moved?.kind === 'advanced' ? commit : base
    const answer = (request: LandRequest, outcome: LandOutcome) =>
      answers.set(request, { kind: 'answer', answer: { outcome, checked: checked.get(request) ?? [] } })
    for (const [request, error] of broken) answers.set(request, { kind: 'error', error })
    for (const [request, { outcome, behind }] of blamed) {
      // The work with which it fails has not landed either, so a developer could not fix it on the base.
      const waits = moved?.kind === 'waits' && behind !== null ? waitsOn(moved, behind) : null
      answer(request, waits ?? { ...outcome, commit: tip })
    }
    for (const request of left) {
      if (answers.has(request)) continue
      const part = parts.find(({ key }) => key === keyOf(request))
      if (!part) continue
      if (part.kind === 'damaged')
        answers.set(request, { kind: 'error', error: new VcsError(part.why, part.fix ?? undefined) })
      else answer(request, landOutcome(request, part, { into, tip, commit, tree, moved }, ports))
    }
    return answers
  }

  return { run }
}

type FailedGates = Extract<LandOutcome, { kind: 'gate' }>

function mergedOf(parts: PartOutcome[], left: LandRequest[]): Merged[] {
  return parts.flatMap((part) => {
    if (part.kind !== 'merged') return []
    const { key, commit, tree } = part
    const request = left.find((each) => keyOf(each) === key) ?? null
    return [{ task: Number(key), request, commit, tree }]
  })
}

/** The tasks that would land with the whole batch: merged parts, and parts that are contained in them. */
function carriedOf({ parts }: IntegratedParts, merged: Merged[], left: LandRequest[]): LandRequest[] {
  return left.filter((request) => {
    const part = parts.find(({ key }) => key === keyOf(request))
    return part !== undefined && numberOf(part, merged) > 0
  })
}

/** The number of the merged part that contains it, counted from 1; 0 if none does. */
function numberOf(part: PartOutcome, merged: Merged[]): number {
  const isThere = part.kind === 'merged' || part.kind === 'contained'
  return isThere ? merged.findIndex(({ commit }) => commit === part.commit) + 1 : 0
}

function gatesOf(
  parts: PartOutcome[],
  merged: Merged[],
  left: LandRequest[],
  also: WaitingPart[],
): GatesOfPart[] {
  const known = new Map<string, Omit<GatesOfPart, 'at'>>()
  for (const { part, gates, limitMs } of also) known.set(part.key, { gates, limitMs })
  for (const request of left) known.set(keyOf(request), { gates: request.gates, limitMs: limitOf(request) })
  return parts.flatMap((part) => {
    const own = known.get(part.key)
    const at = numberOf(part, merged)
    return own && at > 0 ? [{ ...own, at }] : []
  })
}
