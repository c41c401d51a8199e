/** A git that fails, and hooks that hang or refuse. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openBench } from '../support/umpire.ts'
import { describeFailingGit, places } from './describe-failing-git.ts'

// Before, during and after the developer's turn. The long tests use every place.
describeFailingGit(places.filter(([words]) => ['worktree add', 'commit', 'reset'].includes(words)))

test('kills a hanging hook at limits.gate, and sends the output of a refusing hook to the developer', async () => {
  const bench = openBench({ config: { limits: { agent_retries: 0, gate: '1s' }, max_gate_failures: 2 } })
  const id = await bench.add('Be held up')
  bench.hook('pre-commit', 'echo $$ >> $BENCH/hooks', 'sleep 1000')
  expect((await bench.umpire('work')).code).toBe(3)
  const held = await bench.show(id)
  expect(held).toMatchObject({ status: 'blocked', reason: 'gate', cycle: 0 })
  expect(held.gates.at(-1)).toMatchObject({ name: 'commit hook', passed: false, timedOut: true })
  expect(readFileSync(join(bench.folder, 'hooks'), 'utf8').trim().split('\n').length).toBeGreaterThan(1)
  const paid = bench.played().length
  bench.hook(
    'pre-commit',
    'test -e $BENCH/refused && exit 0',
    'touch $BENCH/refused; echo no tabs please; exit 1',
  )
  expect((await bench.umpire('retry', String(id))).code).toBe(0)
  expect(await bench.umpire('work')).toMatchObject({ code: 0, stderr: '' })
  const shown = await bench.show(id)
  expect(shown).toMatchObject({ status: 'completed', verdict: 'APPROVED' })
  expect(shown.sessions.filter(({ prompt }) => prompt.includes('no tabs please'))).toHaveLength(1)
  expect(bench.played().length).toBe(paid + 2)
})
