/** The merge of another branch into a played loop's own. The script says how each step ends. */
import type { NewEvent } from '../../src/core/event.ts'
import type { Loop } from '../../src/core/loop.ts'
import type { Step } from '../../src/core/step.ts'
import { hookRefused } from './gate-results.ts'
import type { PlayedTree } from './played-tree.ts'
import type { Outcomes } from './script.ts'

type MergeStep = Step & { do: 'merge' | 'resolve' | 'conclude' | 'abandon' }

export function isMergeStep(step: Step): step is MergeStep {
  return ['merge', 'resolve', 'conclude', 'abandon'].includes(step.do)
}

export function mergePlayed(step: MergeStep, next: Outcomes, loop: Loop, tree: PlayedTree): NewEvent[] {
  const {
    review: { cycle },
  } = loop
  switch (step.do) {
    case 'merge': {
      const outcome = next.merge() ?? 'conflict'
      const files = outcome === 'conflict' ? ['src/a.ts'] : []
      if (outcome === 'clean') tree.write(`${loop.work.head?.tree}+${step.other.commit}`)
      const left = { left: 'left', conflicts: [{ path: 'src/a.ts', kind: 'text' as const }] }
      const data = { other: step.other.commit, outcome, files, cycle, ...(outcome === 'conflict' && left) }
      return [{ type: 'loop.merging', data }]
    }
    case 'resolve':
      return [resolverStarted(step, loop)]
    case 'conclude': {
      const outcome = next.resolution() ?? 'resolved'
      if (outcome === 'refused') return [hookRefused(loop)]
      if (outcome === 'resolved') return [tree.commit(step.session, step.subject, loop)]
      return [{ type: 'loop.unresolved', data: { files: ['src/a.ts'], why: 'Marks are left.', cycle } }]
    }
    case 'abandon':
      tree.write(loop.work.head?.tree ?? 'base')
      return step.events
  }
}

function resolverStarted({ attempt }: Step & { do: 'resolve' }, loop: Loop): NewEvent {
  const {
    turn: { iteration },
    review: { cycle },
  } = loop
  return {
    type: 'session.started',
    data: {
      session: `7-${loop.turn.sessions + 1}`,
      role: 'resolver',
      iteration,
      cycle: cycle + 1,
      attempt,
      agent: 'scripted',
      model: null,
      prompt: 'Please.',
      tokenHash: 'h',
      limitMs: 60_000,
      reviewed: null,
    },
  }
}
