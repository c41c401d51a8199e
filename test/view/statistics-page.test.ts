import { expect, test } from 'vitest'
import type { UsageRow } from '../../src/store/archive.ts'
import { renderStatistics, statisticsOf } from '../../src/view/statistics.ts'

const row: UsageRow = {
  ...{ role: 'developer', agent: 'claude', model: 'large', sessions: 2, failed: 0, durationMs: 1000 },
  ...{ costUsd: 1, tokens: 10, withoutCost: 0 },
}

test('a sum with an unknown part is shown as a minimum', () => {
  const told = renderStatistics(statisticsOf([]), [row, { ...row, role: 'reviewer' }])
  expect(told).not.toContain('at least')
  const silent: UsageRow = { ...row, agent: 'mine', costUsd: null, withoutCost: 2 }
  const lines = renderStatistics(statisticsOf([]), [row, silent]).split('\n')
  expect(lines.at(-3)).toMatch(/^claude .* \$1\.00$/)
  expect(lines.at(-3)).not.toContain('at least')
  expect(lines.at(-1)).toMatch(/^all .* at least \$1\.00$/)
})
