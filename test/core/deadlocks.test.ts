/** Tasks that wait for each other: Umpire holds each one with a message about the deadlock, and frees it afterwards. */

import { expect, test } from 'vitest'
import { findDeadlocks, type WaitingTask } from '../../src/core/schedule/deadlocks.ts'
import { schedule } from '../../src/core/schedule/schedule.ts'
import type { TaskStanding } from '../../src/core/schedule/task-standing.ts'
import { fc, samples } from '../support/random.ts'

const standing = (id: number, more: Partial<TaskStanding> = {}): TaskStanding => ({
  ...{ id, status: 'pending', reason: null, of: null, dependsOn: [], group: null },
  ...{ begun: false, byHand: false, heldFor: null, moneyBy: [] },
  ...more,
})

test('holds every task of a deadlock, and shows its path and the commands that break it', () => {
  const { hold, ready, waits } = schedule([
    standing(1, { dependsOn: [2, 4], begun: true }),
    standing(2, { dependsOn: [1] }),
    standing(3),
    standing(4, { status: 'completed' }),
  ])
  const [detail, recovery] = [
    'Tasks wait for each other: 1 → 2 → 1.',
    ['umpire edit 1 --after 4', 'umpire edit 2 --after none'],
  ]
  expect(hold).toEqual([
    { task: 1, by: [2], detail, recovery },
    { task: 2, by: [1], detail, recovery },
  ])
  expect({ ready, waits }).toEqual({ ready: [3], waits: [] })
})

test('says so if a deadlock goes through groups, even with a group in between', () => {
  const tasks = [
    standing(1, { group: 1, dependsOn: [2] }),
    standing(2, { group: 9, begun: true }),
    standing(3, { group: 4, status: 'failed', reason: 'crash' }),
  ]
  expect(schedule(tasks).hold).toMatchObject(
    [1, 2].map((task) => ({
      task,
      detail: 'Tasks wait for each other: 1 → 2 → 1; 2 is in group 9 and comes after 1 of group 1.',
      recovery: ['umpire edit 1 --after none', 'umpire edit 2 --group none'],
    })),
  )
})

test('shows one command that removes both links if a task waits for another by name and by group', () => {
  const tasks = [standing(1, { group: 1, of: 2 }), standing(2, { group: 2, dependsOn: [1] })]
  expect(schedule(tasks).hold[0]?.recovery).toEqual([
    'umpire cancel 1',
    'umpire edit 2 --after none --group none',
  ])
})

test('holds a task that waits for a deadlock with the same message, before and after it holds the deadlock’s tasks', () => {
  const deadlock = [standing(1, { dependsOn: [2] }), standing(2, { dependsOn: [1] })]
  const later = standing(3, { dependsOn: [2] })
  const { hold } = schedule([...deadlock, later])
  expect(hold[2]).toMatchObject({ task: 3, by: [1], detail: 'Tasks wait for each other: 1 → 2 → 1.' })
  const tasks = [...deadlock, later].map((task) => {
    const heldFor = hold.find((each) => each.task === task.id)?.detail ?? null
    return { ...task, status: 'blocked', reason: 'dependency', heldFor } as const
  })
  expect(schedule(tasks)).toEqual({ ready: [], waits: [], hold: [], free: [] })
  const broken = tasks.map((task) => (task.id === 2 ? { ...task, dependsOn: [] } : task))
  expect(schedule(broken)).toMatchObject({ hold: [], free: [1, 2, 3] })
})

test('finds no deadlock through a task that runs, is done, or is stopped for another reason', () => {
  for (const status of ['in_progress', 'completed', 'failed', 'cancelled'] as const) {
    const details = schedule([standing(1, { dependsOn: [2], status }), standing(2, { dependsOn: [1] })]).hold
    expect(details.filter(({ detail }) => detail.includes('each other'))).toEqual([])
  }
})

const anyWaiting = fc
  .array(
    fc.record({
      named: fc.uniqueArray(fc.integer({ min: 1, max: 9 }), { maxLength: 2 }),
      group: fc.option(fc.integer({ min: 1, max: 4 })),
    }),
    { maxLength: 9 },
  )
  .map((all) => all.map((each, at): WaitingTask => ({ id: at + 1, ...each })))

test('finds a deadlock exactly if a path leads from a task back to itself, and shows such a path', () => {
  fc.assert(
    fc.property(anyWaiting, (tasks) => {
      const waits = (one: WaitingTask, other: WaitingTask) =>
        one.named.includes(other.id) ||
        (one.group !== null && other.group !== null && other.group < one.group)
      const reached = (from: WaitingTask) => {
        const found = new Set<WaitingTask>()
        const edge = [from]
        for (const each of edge) {
          for (const other of tasks) {
            if (!waits(each, other) || found.has(other)) continue
            found.add(other)
            edge.push(other)
          }
        }
        return found
      }
      const deadlocks = findDeadlocks(tasks)
      expect([...deadlocks.keys()].sort()).toEqual(
        tasks.filter((task) => reached(task).has(task)).map(({ id }) => id),
      )
      for (const [id, way] of deadlocks) {
        expect(way).toContain(id)
        for (const [at, one] of way.entries()) {
          const [task, next] = [tasks[one - 1], tasks[(way[(at + 1) % way.length] ?? 0) - 1]]
          expect(task && next && waits(task, next)).toBe(true)
        }
      }
    }),
    { numRuns: samples(500) },
  )
})
