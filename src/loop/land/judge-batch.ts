/**
 * Judges what the parts of a landing came to: by the set-up of a checkout of it, and by all their gates. Where something
 * fails, each prefix of the parts is tried in a checkout that is made and set up for it alone, since what the whole
 * installed is not what a part of it would have; and nobody is blamed for what fails only once.
 */

import { SetupError } from '../../core/errors.ts'
import type { GateResult } from '../../core/event.ts'
import type { Loop } from '../../core/loop.ts'
import type { FailedGate } from '../../core/session/feedback.ts'
import type { CheckoutNeeds } from '../../vcs/worktrees.ts'
import type { Ports } from '../ports.ts'
import { failedGate, failedSetup, runShared, type SharedGate } from './land-gates.ts'

/** All parts as they were merged, in a checkout that is prepared unless something was in the way of it. */
export interface Whole {
  name: string
  /** Null where nothing is to be run. */
  path: string | null
  base: string
  commit: string
  tree: string
  unprepared: SetupError | null
  /** What was merged, in order. */
  merged: { commit: string; tree: string }[]
  gates: SharedGate[]
}

export type BatchJudgement =
  | { kind: 'passed' }
  /** The set-up failed, and did not when it was tried once more. */
  | { kind: 'again'; error: SetupError }
  /** `number` is that of the part with which it begins to fail; null where it fails on the base alone. */
  | { kind: 'failed'; number: number | null; gates: FailedGate[]; error: SetupError | null }

interface Means {
  lead: Loop
  needs: CheckoutNeeds
  ports: Ports
  /** Told of every gate that ran on the whole; the last word on each is the one that counts. */
  onResults: (results: GateResult[]) => void
}

export async function judgeBatch(whole: Whole, means: Means, signal: AbortSignal): Promise<BatchJudgement> {
  const { merged, gates, path, unprepared: error } = whole
  if (error) {
    const isSetUp = async (parts: number) => (await tryPrefix(null, parts, whole, means, signal)).passed
    const blame = await findBlame(merged.length, null, isSetUp)
    if (blame.kind === 'passed') return { kind: 'again', error }
    const number = blame.kind === 'part' ? blame.number : null
    return { kind: 'failed', number, gates: [failedSetup(error)], error }
  }
  if (path === null) {
    if (gates.length > 0) throw new Error('there is no checkout to run the gates in')
    return { kind: 'passed' }
  }
  const results: GateResult[] = []
  for (const gate of gates)
    results.push(await runShared(gate, { ...whole, path }, means.lead, means.ports, signal))
  means.onResults(results)
  const failed = results.filter(({ passed }) => !passed).map(failedGate)
  for (const [index, gate] of gates.entries()) {
    if (results[index]?.passed !== false) continue
    let last: GateResult | null = null
    const passes = async (parts: number) => {
      const tried = await tryPrefix(gate, parts, whole, means, signal)
      last = tried.result
      return tried.passed
    }
    const blame = await findBlame(merged.length, gate.from, passes)
    if (blame.kind !== 'passed')
      return {
        kind: 'failed',
        number: blame.kind === 'part' ? blame.number : null,
        gates: failed,
        error: null,
      }
    if (last) means.onResults([last])
  }
  return { kind: 'passed' }
}

/** With null for a gate, whether such a checkout can be set up at all. */
async function tryPrefix(
  gate: SharedGate | null,
  parts: number,
  { name, base, merged }: Whole,
  { lead, needs, ports }: Means,
  signal: AbortSignal,
): Promise<{ passed: boolean; result: GateResult | null }> {
  const { commit, tree } = merged[parts - 1] ?? { commit: base, tree: base }
  try {
    const path = await ports.vcs.openScratch(name, commit, needs, signal)
    if (gate === null) return { passed: true, result: null }
    const result = await runShared(gate, { name, path, commit, tree }, lead, ports, signal)
    return { passed: result.passed, result }
  } catch (error) {
    if (error instanceof SetupError) return { passed: false, result: null }
    throw error
  }
}

/**
 * Which of several parts, merged one after the other, makes a gate fail: the first prefix of them on which it fails is
 * looked for by bisection. It passes on `passing` parts, and fails on `failing`; the answer is the number of the part that
 * lies between, counted from 1. What fails, passes and fails again has more than one answer; this is one of them.
 */
export async function findCulprit(
  passing: number,
  failing: number,
  passes: (parts: number) => Promise<boolean>,
): Promise<number> {
  let [good, bad] = [passing, failing]
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2)
    if (await passes(middle)) good = middle
    else bad = middle
  }
  return bad
}

type Blame =
  | { kind: 'part'; number: number }
  /** It fails without any of them. */
  | { kind: 'none' }
  /** All of them pass when they are tried once more. */
  | { kind: 'passed' }

/**
 * The same for what failed on all parts. Nothing that fails now and then may name somebody: what is accused is tried once
 * more, and the search goes on where that passes. `from` is the first part that it can be tried on, null for the base.
 */
export async function findBlame(
  parts: number,
  from: number | null,
  passes: (parts: number) => Promise<boolean>,
): Promise<Blame> {
  let good = from === null ? 0 : from - 1
  while (good < parts) {
    const number = await findCulprit(good, parts, passes)
    if (await passes(number)) good = number
    else if (number > 1 || from !== null) return { kind: 'part', number }
    else return (await passes(0)) || (await passes(0)) ? { kind: 'part', number } : { kind: 'none' }
  }
  return { kind: 'passed' }
}
