/** The events that the harness appends after gates ran, and after work was merged into its base. */
import type { GateKind, NewEvent } from '../../src/core/event.ts'
import type { Loop } from '../../src/core/loop.ts'
import { recoveryFrom } from '../../src/core/person/recovery.ts'
import type { LandOutcome } from '../../src/core/place.ts'
import type { Gate } from '../../src/core/policy/policy.ts'
import type { Step } from '../../src/core/step.ts'
import { baseTree } from './played-tree.ts'
import type { LandTurn } from './turns.ts'

type Named = Pick<Gate, 'name' | 'command'>

export function gateResult({ name, command }: Named, passed: boolean, tree: string) {
  const output = passed ? '' : `${name} is not happy`
  return { name, command, passed, exitCode: passed ? 0 : 1, timedOut: false, tree, output, durationMs: 1 }
}

export function gateCompleted(gate: Named, kind: GateKind, passed: boolean, tree: string): NewEvent {
  return { type: 'gate.completed', data: { ...gateResult(gate, passed, tree), kind } }
}

export function hookRefused(loop: Loop): NewEvent {
  const tree = loop.work.head?.tree ?? baseTree
  return gateCompleted({ name: 'commit hook', command: 'git commit' }, 'hook', false, tree)
}

export function landed({ sha, gates }: Step & { do: 'land' }, turn: LandTurn, loop: Loop): NewEvent[] {
  if (turn === 'breaks') {
    const recovery = recoveryFrom('vcs', loop)
    const data = {
      reason: 'vcs',
      detail: 'git is out of order.',
      recovery,
      cycle: loop.review.cycle,
    } as const
    return [{ type: 'loop.failed', data }]
  }
  const tree = `${loop.work.head?.tree}-merged`
  const runs = turn === 'lands' || turn === 'fails-gate' || turn === 'waits'
  const [failing] = turn === 'fails-gate' ? gates : []
  const checked = (runs ? gates : []).map((gate) => gateCompleted(gate, gate.kind, gate !== failing, tree))
  const outcome: LandOutcome = failing
    ? { kind: 'gate', gates: [failedGate(failing, tree)], tree, commit: 'm1' }
    : outcomeOf(turn, sha, tree)
  return [...checked, { type: 'loop.integrated', data: { outcome, cycle: loop.review.cycle } }]
}

function outcomeOf(turn: LandTurn, sha: string, tree: string): LandOutcome {
  switch (turn) {
    case 'conflicts':
      return {
        kind: 'conflict',
        between: ['umpire/7-add', 'main'],
        files: ['src/a.ts', 'src/b.ts'],
        commit: 'm1',
      }
    case 'is-refused':
      return { kind: 'refused', output: 'No merges on Fridays.' }
    case 'carries':
      return { kind: 'carries', works: [{ task: 1, sha: 'c1', doubt: 'unreviewed' }] }
    case 'waits':
      return {
        kind: 'waits',
        checkout: '/home/ada/it',
        branch: 'umpire/landed',
        ref: 'refs/umpire/landed-for/1',
        why: 'it is dirty',
      }
    default:
      return { kind: 'landed', commit: `${sha}-on-main`, tree, checkout: null }
  }
}

function failedGate(gate: Gate, tree: string) {
  const { name, command, exitCode, timedOut, output } = gateResult(gate, false, tree)
  return { name, command, exitCode, timedOut, output }
}
