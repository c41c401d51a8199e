/**
 * A repository with real runs of many tasks together: groups and dependencies, conflicts that a resolver resolves,
 * panels, checkpoints, waived and proven issues, a loop that churns and one without budget.
 */
import { chmodSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Act, type Bench, openBench, type Scenario } from '../support/umpire.ts'
import { copyRepository } from './played-repository.ts'

const actor = resolve(import.meta.dirname, '../fixtures/agents/actor.mjs')

/** The names of the tasks in tests. */
export const together = {
  first: 1,
  second: 2,
  third: 3,
  refused: 4,
  held: 5,
  lands: 6,
  clashes: 7,
  panelled: 8,
  absent: 9,
  spins: 10,
  waived: 11,
  churns: 12,
  proven: 13,
  parked: 14,
}

const wants = (...issues: object[]): Act[] => [
  { submit: { verdict: 'CHANGES_REQUESTED', summary: 'Not yet.', issues } },
]
const bug = (description: string) => ({ file: 'work-12.txt', line: 1, type: 'bug', description })

const scenario: Scenario = {
  developer: [
    // The other task starts before this one lands, and continues after that.
    { task: 'lands', do: [{ await: '$BENCH/begun' }, { write: { 'clash.txt': 'one\n' } }] },
    {
      task: 'clashes',
      do: [
        { touch: '$BENCH/begun' },
        { await: '$BENCH/checkout/clash.txt' },
        { write: { 'clash.txt': 'two\n' } },
      ],
    },
    { task: 'spins', iteration: 3, do: [{ write: { 'last.txt': 'done\n' } }, { say: 'TASK_COMPLETE' }] },
  ],
  resolver: [{ do: [{ write: { 'clash.txt': 'one\ntwo\n' } }] }],
  reviewer: [
    { task: 'refused', do: [{ submit: { verdict: 'REJECTED', summary: 'No.' } }] },
    { task: 'panelled', session: '2p2', do: wants({ description: 'No tests.' }) },
    { task: 'absent', session: '2p2', do: [{ exit: 1 }] },
    { task: 'spins', session: 'c10.1', do: wants({ description: 'Off the task.' }) },
    { task: 'waived', cycle: 1, do: wants({ description: 'No tea.' }, { description: 'No milk.' }) },
    { task: 'churns', cycle: 1, do: wants(bug('a')) },
    { task: 'churns', cycle: 2, do: wants(bug('b'), bug('c')) },
    { task: 'churns', cycle: 3, do: wants(bug('d'), bug('e'), bug('f')) },
    { task: 'proven', do: wants({ description: 'No tea.', type: 'bug', witness: ['false'] }) },
  ],
}

/** Stands in for Claude Code, because only an agent that reports its cost uses up a budget. */
const costly = `#!/usr/bin/env node
require('node:fs').readFileSync(0)
require('node:fs').writeFileSync('made.txt', 'made')
console.log(JSON.stringify({ type: 'result', is_error: false, num_turns: 1, result: 'Done.', total_cost_usd: 0.25 }))
`

/** Plays all tasks and returns the folder of the checkout. */
export async function playTogether(): Promise<string> {
  const bench = openBench({
    scenario,
    config: { agents: { second: { command: ['node', actor] } } },
  })
  await playOrder(bench)
  await withSettings(bench, { land: 'base', parallel: 2 }, 'lands', 'clashes')
  const panel = [{ agent: 'second' }]
  await withSettings(bench, { review: { panel } }, 'panelled')
  await withSettings(bench, { review: { panel, approve_by: 'any' } }, 'absent')
  await withSettings(bench, { develop: { until: 'claim' }, effort: 'max' }, 'spins')
  await withSettings(bench, { max_cycles: 1 }, 'waived')
  for (const issue of ['1', '2'])
    await bench.umpire('waive', String(together.waived), '--issue', issue, '--why', 'Coffee')
  await bench.umpire('review', String(together.waived))
  await withSettings(bench, { max_cycles: 6 }, 'churns')
  await withSettings(bench, { max_cycles: 1, review: { proof: 'prefer' } }, 'proven')
  bench.write({ '../bin/claude': costly })
  chmodSync(join(bench.folder, 'bin/claude'), 0o755)
  bench.env.PATH = `${join(bench.folder, 'bin')}:${bench.env.PATH}`
  const roles = { developer: 'claude', reviewer: 'claude' }
  await withSettings(bench, { roles, budget: { task: 0.6 } }, 'parked')
  return copyRepository(bench.root)
}

/** Two groups, and a task that another one holds until a person decides. */
async function playOrder(bench: Bench): Promise<void> {
  await bench.add('first', '--group', '1')
  await bench.add('second', '--group', '1')
  await bench.add('third', '--group', '2', '--after', '1')
  await bench.add('refused')
  await bench.add('held', '--after', '4')
  await bench.umpire('work', '--parallel', '3')
  await bench.umpire('edit', String(together.refused), '--verdict', 'APPROVED')
  await bench.umpire('work')
  // Merges from the branch of its group into the base.
  await bench.umpire('merge', String(together.first))
  // This merge carries the work that it builds on, which a person approved.
  await bench.umpire('merge', String(together.held))
}

async function withSettings(bench: Bench, settings: object, ...titles: string[]): Promise<void> {
  bench.write({ 'umpire.local.yaml': JSON.stringify(settings) })
  for (const title of titles) await bench.add(title)
  await bench.umpire('work')
}
