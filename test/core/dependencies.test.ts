/** Which tasks may wait for which: Umpire refuses what could never start, and nothing else. */

import { describe, expect, test } from 'vitest'
import {
  deletionObstacle,
  dependencyObstacle,
  findCycle,
  inDependencyOrder,
  type Ordered,
} from '../../src/core/schedule/dependencies.ts'
import { fc, samples } from '../support/random.ts'

function task(id: number, more: Partial<Ordered> = {}): Ordered {
  return { id, dependsOn: [], of: null, group: null, status: 'pending', ...more }
}

describe('a dependency is refused', () => {
  test.each<[string, Ordered[], number, string]>([
    [
      'on what is not there',
      [task(1, { dependsOn: [2, 9] }), task(2)],
      1,
      'There is no task 9 to depend on.',
    ],
    ['on itself', [task(1, { dependsOn: [1] })], 1, 'Task 1 would depend on itself.'],
    [
      'on what depends on it',
      [task(5, { dependsOn: [7] }), task(7, { dependsOn: [5] })],
      5,
      'Tasks would wait for each other: 5 → 7 → 5.',
    ],
    [
      'through any number of others',
      [
        task(1, { dependsOn: [2] }),
        task(2, { dependsOn: [3] }),
        task(3, { dependsOn: [4] }),
        task(4, { dependsOn: [1] }),
      ],
      3,
      'Tasks would wait for each other: 3 → 4 → 1 → 2 → 3.',
    ],
    [
      'on a review of itself',
      [task(1, { dependsOn: [2] }), task(2, { of: 1 })],
      1,
      'Tasks would wait for each other: 1 → 2 → 1.',
    ],
    [
      'on a later group',
      [task(5, { group: 1, dependsOn: [7] }), task(7, { group: 2 })],
      5,
      'Tasks would wait for each other: 5 → 7 → 5; 7 is in group 2 and starts only after 5 of group 1.',
    ],
    [
      'on a later group through a task of none, with groups between them',
      [
        task(1, { group: 1, dependsOn: [2] }),
        task(2, { dependsOn: [3] }),
        task(3, { group: 9 }),
        task(4, { group: 4 }),
      ],
      1,
      'Tasks would wait for each other: 1 → 2 → 3 → 4 → 1; 3 is in group 9 and starts only after 4 of group 4.',
    ],
  ])('%s', (_, tasks, changed, why) => {
    expect(dependencyObstacle(tasks, changed)?.why).toBe(why)
  })
})

describe('a dependency is allowed', () => {
  test.each<[string, Ordered[], number]>([
    ['on several', [task(1), task(2), task(3, { dependsOn: [1, 2] })], 3],
    [
      'on what others depend on, too',
      [task(1), task(2, { dependsOn: [1] }), task(3, { dependsOn: [1, 2] })],
      3,
    ],
    ['on an earlier group', [task(1, { group: 1 }), task(2, { group: 2, dependsOn: [1] })], 2],
    ['on the same group', [task(1, { group: 2 }), task(2, { group: 2, dependsOn: [1] })], 2],
    [
      'on a later group that is completed',
      [task(1, { group: 3, status: 'completed' }), task(2, { group: 1, dependsOn: [1] })],
      2,
    ],
    [
      'beside a deadlock of others',
      [task(1, { dependsOn: [2] }), task(2, { dependsOn: [1] }), task(3, { dependsOn: [1] })],
      3,
    ],
  ])('%s', (_, tasks, changed) => {
    expect(dependencyObstacle(tasks, changed)).toBeNull()
  })
})

const anyTasks = fc
  .array(
    fc.record({
      dependsOn: fc.uniqueArray(fc.integer({ min: 1, max: 8 }), { maxLength: 3 }),
      of: fc.option(fc.integer({ min: 1, max: 8 }), { freq: 6 }),
      group: fc.option(fc.integer({ min: 1, max: 3 })),
      status: fc.constantFrom('pending' as const, 'blocked' as const),
    }),
    { minLength: 8, maxLength: 8 },
  )
  .map((all) => all.map((each, place) => ({ id: place + 1, ...each })))

/** The same rule in another way: repeatedly remove every task that waits for none of the tasks left. */
function canAllStart(tasks: Ordered[]): boolean {
  let left = tasks
  for (;;) {
    const held = left.filter(({ dependsOn, of, group }) =>
      left.some(
        (other) =>
          dependsOn.includes(other.id) ||
          of === other.id ||
          (group !== null && other.group !== null && other.group < group),
      ),
    )
    if (held.length === left.length) return left.length === 0
    left = held
  }
}

test('finds a cycle exactly if not all tasks can start', () => {
  fc.assert(
    fc.property(anyTasks, (tasks) => {
      const cycles = tasks.flatMap(({ id }) => findCycle(tasks, id) ?? [])
      expect(cycles.length === 0).toBe(canAllStart(tasks))
    }),
    { numRuns: samples(500) },
  )
})

test('in dependency order, no task comes before one that it waits for by name', () => {
  fc.assert(
    fc.property(anyTasks, (all) => {
      const tasks = all.map(({ dependsOn, id, of, ...rest }) => ({
        ...rest,
        id,
        of: of !== null && of < id ? of : null,
        dependsOn: dependsOn.filter((other) => other < id),
      }))
      const shuffled = tasks.toReversed()
      const ordered = inDependencyOrder(shuffled).map(({ id }) => id)
      expect(ordered.toSorted((one, other) => one - other)).toEqual(tasks.map(({ id }) => id))
      for (const { id, dependsOn, of } of tasks)
        for (const other of of === null ? dependsOn : [...dependsOn, of])
          expect(ordered.indexOf(other)).toBeLessThan(ordered.indexOf(id))
    }),
  )
})

test('does not delete a task that others depend on, and says how to free them', () => {
  const tasks = [
    task(3),
    task(5, { dependsOn: [2, 3] }),
    task(7, { dependsOn: [3] }),
    task(8, { dependsOn: [3], status: 'cancelled' }),
  ]
  expect(deletionObstacle(tasks, 3)).toEqual({
    why: 'Tasks 5, 7 and 8 depend on task 3.',
    fix: 'First: umpire edit 5 --after 2; umpire edit 7 --after none; umpire delete 8',
  })
  expect(deletionObstacle(tasks, 5)).toBeNull()
  expect(deletionObstacle([task(1), task(2, { dependsOn: [1], status: 'completed' })], 1)).toBeNull()
  expect(deletionObstacle([task(1), task(2, { dependsOn: [1] })], 1)?.why).toBe('Task 2 depends on task 1.')
})

test('does not delete a task that others still have to review or improve', () => {
  const tasks = [
    task(1),
    task(2, { of: 1 }),
    { ...task(3, { of: 1 }), branch: 'umpire/3' },
    task(4, { dependsOn: [1] }),
  ]
  expect(deletionObstacle(tasks, 1)).toEqual({
    why: 'Task 4 depends on task 1. Task 2 reviews or improves task 1.',
    fix: 'First: umpire edit 4 --after none; umpire delete 2',
  })
  expect(deletionObstacle([task(1), task(2, { of: 1, status: 'completed' })], 1)).toBeNull()
  expect(deletionObstacle([task(1), task(2, { of: 1 }), task(3, { of: 1 })], 1)?.why).toBe(
    'Tasks 2 and 3 review or improve task 1.',
  )
})
