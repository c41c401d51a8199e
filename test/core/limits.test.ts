import { describe, expect, test } from 'vitest'
import { effortTable } from '../../src/core/policy/effort.ts'
import { backoffMs } from '../../src/core/policy/failure.ts'
import { type CycleSettings, gatesFor, resolveCycles } from '../../src/core/policy/policy.ts'
import { newTask } from '../../src/core/task.ts'

function cycles(given: { [K in keyof CycleSettings]?: Partial<CycleSettings[K]> } = {}) {
  return resolveCycles({
    task: { maxCycles: null, effort: null, ...given.task },
    run: { effort: null, ...given.run },
    type: { ...given.type },
    file: { ...given.file },
  })
}

describe('max_cycles', () => {
  test.each([
    ['low', 3],
    ['medium', 4],
    ['high', 5],
    ['max', 6],
  ] as const)('effort %s allows %i reviews: one more than it allows revisions', (effort, maxCycles) => {
    expect(cycles({ task: { effort } })).toEqual({ effort, maxCycles })
  })

  test('defaults to the value of medium effort', () => {
    expect(cycles()).toEqual({ effort: 'medium', maxCycles: 4 })
  })

  test('comes from the most specific setting', () => {
    const file = { effort: 'low', maxCycles: 11 } as const
    const type = { effort: 'high', maxCycles: 12 } as const
    const run = { effort: 'max' } as const
    expect(cycles({ file: { effort: 'low' } })).toEqual({ effort: 'low', maxCycles: 3 })
    expect(cycles({ file })).toEqual({ effort: 'low', maxCycles: 11 })
    expect(cycles({ file, type: { effort: 'high' } })).toEqual({ effort: 'high', maxCycles: 5 })
    expect(cycles({ file, type })).toEqual({ effort: 'high', maxCycles: 12 })
    expect(cycles({ file, type, run })).toEqual({ effort: 'max', maxCycles: 6 })
    expect(cycles({ file, type, run, task: { effort: 'low' } })).toEqual({ effort: 'low', maxCycles: 3 })
    expect(cycles({ file, type, run, task: { maxCycles: 1 } })).toEqual({ effort: 'max', maxCycles: 1 })
  })
})

describe('gates', () => {
  test("are the configured ones and then the task's own, each with a name of its own", () => {
    const task = { ...newTask('Add'), gates: ['./one', './two'] }
    expect(gatesFor(task, { test: 'npm test' })).toEqual([
      { name: 'test', command: 'npm test', kind: 'gate' },
      { name: 'backpressure', command: './one', kind: 'backpressure' },
      { name: 'backpressure-2', command: './two', kind: 'backpressure' },
    ])
  })
})

test('the wait after a failure grows fourfold, up to five minutes', () => {
  expect([1, 2, 3, 4, 5, 50].map(backoffMs)).toEqual([2_000, 8_000, 32_000, 128_000, 300_000, 300_000])
})

test('effort levels match the documented table', () => {
  expect(effortTable).toEqual({
    low: { checkpointEvery: null, maxRevisionAttempts: 2, depth: 'shallow' },
    medium: { checkpointEvery: 5, maxRevisionAttempts: 3, depth: 'standard' },
    high: { checkpointEvery: 3, maxRevisionAttempts: 4, depth: 'deep' },
    max: { checkpointEvery: 1, maxRevisionAttempts: 5, depth: 'comprehensive' },
  })
})
