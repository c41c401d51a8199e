/** Which tasks may start: examples for the rules, and then what is true for every plan, however its tasks end. */

import { describe, expect, test } from 'vitest'
import { type Schedule, schedule } from '../../src/core/schedule/schedule.ts'
import type { TaskStanding } from '../../src/core/schedule/task-standing.ts'
import type { TaskStatus } from '../../src/core/task.ts'
import { fc, samples } from '../support/random.ts'

const standing = (id: number, more: Partial<TaskStanding> = {}): TaskStanding => ({
  ...{ id, status: 'pending', reason: null, of: null, dependsOn: [], group: null },
  ...{ begun: false, byHand: false, heldFor: null, moneyBy: [] },
  ...more,
})

const of = (...tasks: TaskStanding[]): Schedule => schedule(tasks)
const held = (id: number, more: Partial<TaskStanding> = {}) =>
  standing(id, { status: 'blocked', reason: 'dependency', heldFor: 'Task 1 failed: crash.', ...more })

describe('a task may start', () => {
  test('if it waits for nothing, the lowest number first', () => {
    expect(of(standing(2), standing(1)).ready).toEqual([1, 2])
  })

  test('if all its dependencies are completed, and not before', () => {
    const tasks = (first: TaskStatus, second: TaskStatus) => [
      standing(1, { status: first }),
      standing(2, { status: second }),
      standing(3, { dependsOn: [1, 2] }),
    ]
    expect(of(...tasks('completed', 'completed')).ready).toEqual([3])
    expect(of(...tasks('completed', 'in_progress'))).toMatchObject({
      ...{ ready: [2], waits: [{ task: 3, for: [2] }], hold: [], free: [] },
    })
    expect(of(...tasks('pending', 'pending')).waits).toEqual([{ task: 3, for: [1, 2] }])
  })

  test('if every task of every lower group is completed or cancelled', () => {
    const third = standing(5, { group: 7 })
    const tasks = (status: TaskStatus) => [
      standing(1, { group: 1, status: 'completed' }),
      standing(2, { group: 1, status: 'cancelled' }),
      standing(3, { group: 2, status }),
      third,
    ]
    expect(of(...tasks('in_progress')).waits).toEqual([{ task: 5, for: [3] }])
    expect(of(...tasks('cancelled')).ready).toEqual([5])
    expect(of(...tasks('completed')).ready).toEqual([5])
  })

  test('before tasks without a group, if its group is the lowest', () => {
    expect(of(standing(1), standing(2, { group: 3 }), standing(3, { group: 3 })).ready).toEqual([2, 3, 1])
  })

  test('as the review or improvement of another task, once that one has stopped for any reason', () => {
    const tasks = (status: TaskStatus, begun = false) => [
      standing(1, { status, ...(status === 'blocked' && { reason: 'max_cycles' }) }),
      standing(2, { of: 1, begun }),
    ]
    for (const status of ['pending', 'in_progress'] as const)
      expect(of(...tasks(status)).waits).toEqual([{ task: 2, for: [1] }])
    for (const status of ['completed', 'blocked', 'failed', 'awaiting_review', 'cancelled'] as const)
      expect(of(...tasks(status)).ready).toEqual([2])
    expect(of(...tasks('in_progress', true)).ready).toEqual([1, 2])
    // A task that was retried before it started counts as a step by hand, and still waits.
    expect(of(standing(1), standing(2, { of: 1, byHand: true })).waits).toEqual([{ task: 2, for: [1] }])
    expect(
      of(held(3, { dependsOn: [1] }), standing(1, { status: 'failed' }), standing(4, { of: 3 })).hold,
    ).toMatchObject([{ by: [1] }, { task: 4, by: [1] }])
  })

  test('if it is already in progress or a person asked for it, whatever it depends on', () => {
    const failed = standing(1, { status: 'failed', reason: 'crash' })
    const running = standing(2, { status: 'in_progress', dependsOn: [1] })
    const byHand = standing(3, { dependsOn: [1], byHand: true, begun: true })
    expect(of(failed, running, byHand)).toEqual({ ready: [2, 3], waits: [], hold: [], free: [] })
  })
})

describe('a task is held', () => {
  test('by a task that needs a person, with its number, its reason and the commands', () => {
    const cases: [Partial<TaskStanding>, string, string[]][] = [
      [
        { status: 'blocked', reason: 'max_cycles' },
        'Task 1 is blocked: max_cycles.',
        ['umpire show 1', 'umpire retry 1'],
      ],
      [{ status: 'failed', reason: 'crash' }, 'Task 1 failed: crash.', ['umpire show 1', 'umpire retry 1']],
      [{ status: 'awaiting_review' }, 'Task 1 waits for a review.', ['umpire show 1', 'umpire review 1']],
      [{ status: 'cancelled' }, 'Task 1 is cancelled.', ['umpire retry 1', 'umpire edit 2 --after none']],
    ]
    for (const [first, detail, recovery] of cases)
      expect(of(standing(1, first), standing(2, { dependsOn: [1] })).hold).toEqual([
        { task: 2, by: [1], detail, recovery },
      ])
  })

  test('by a deleted task', () => {
    expect(of(standing(2, { dependsOn: [1, 3] }), standing(3, { status: 'completed' }))).toMatchObject({
      hold: [{ by: [1], detail: 'Task 1 was deleted.', recovery: ['umpire edit 2 --after 3'] }],
    })
  })

  test('through other tasks, and names the tasks that need a person', () => {
    const tasks = [
      standing(1, { status: 'failed', reason: 'crash', group: 1 }),
      standing(2, { status: 'blocked', reason: 'gate' }),
      standing(3, { dependsOn: [2] }),
      standing(4, { dependsOn: [3], group: 1 }),
      standing(5, { group: 2 }),
      standing(6, { group: 3 }),
      standing(7),
    ]
    const { hold, ready } = of(...tasks)
    expect(hold.map(({ task, by }) => [task, by])).toEqual([
      [3, [2]],
      [4, [2]],
      [5, [1, 2]],
      [6, [1, 2]],
    ])
    expect(ready).toEqual([7])
  })

  test('by a lower group, even if a group in between is still running', () => {
    const failed = standing(1, { status: 'failed', reason: 'crash', group: 1 })
    const running = standing(2, { status: 'in_progress', group: 2 })
    expect(of(failed, running, standing(3, { group: 3 })).hold).toMatchObject([{ task: 3, by: [1] }])
  })

  test('once, and again only if the message changes', () => {
    const failed = standing(1, { status: 'failed', reason: 'crash' })
    const third = standing(3, { status: 'blocked', reason: 'gate' })
    expect(of(failed, held(2, { dependsOn: [1] }))).toEqual({ ready: [], waits: [], hold: [], free: [] })
    expect(of(failed, held(2, { dependsOn: [1, 3] }), third).hold).toMatchObject([
      { task: 2, by: [1, 3], detail: 'Task 1 failed: crash. Task 3 is blocked: gate.' },
    ])
  })

  test('by a task that waits for budget, with the commands that raise it instead of a retry', () => {
    const moneyBy = ['umpire work --budget 2', 'umpire show 1']
    const parked = standing(1, { status: 'blocked', reason: 'budget', moneyBy })
    expect(of(parked, standing(2, { dependsOn: [1] })).hold).toMatchObject([{ task: 2, recovery: moneyBy }])
  })

  test('until the task that holds it continues or is done', () => {
    for (const status of ['pending', 'in_progress', 'completed'] as const)
      expect(of(standing(1, { status }), held(2, { dependsOn: [1] }))).toMatchObject({ free: [2], hold: [] })
  })

  test('but not if it is blocked for a reason of its own', () => {
    const own = standing(2, { status: 'blocked', reason: 'dependency', dependsOn: [1] })
    expect(of(standing(1, { status: 'completed' }), own)).toEqual({
      ready: [],
      waits: [],
      hold: [],
      free: [],
    })
  })

  test('by so many tasks that not all are named', () => {
    const failed = Array.from({ length: 9 }, (_, at) =>
      standing(at + 1, { status: 'failed', reason: 'disk', group: 1 }),
    )
    const [hold] = of(...failed, standing(10, { group: 2 })).hold
    expect(hold?.by).toHaveLength(9)
    expect(hold?.detail).toMatch(
      /^Task 1 failed: disk\. .*Task 5 failed: disk\. The same is true for 4 more\.$/,
    )
  })
})

/** Plans in which tasks depend only on lower numbers, because a task can only depend on existing tasks. */
const anyPlan = fc
  .array(
    fc.record({
      before: fc.array(fc.nat({ max: 30 }), { maxLength: 3 }),
      group: fc.option(fc.integer({ min: 1, max: 4 }), { nil: null, freq: 2 }),
      of: fc.option(fc.nat({ max: 30 }), { nil: null, freq: 5 }),
    }),
    { minLength: 1, maxLength: 14 },
  )
  .map((rows) =>
    rows.map(({ before, group, of: other }, at) => {
      const lower = (number: number) => (number % at) + 1
      // A task's group is never lower than the groups of earlier tasks, so that no task waits for a later one.
      const mine =
        group === null || rows.slice(0, at).every((row) => (row.group ?? 0) <= group) ? group : null
      return standing(at + 1, {
        dependsOn: at === 0 ? [] : [...new Set(before.map(lower))],
        group: mine,
        of: at === 0 || other === null ? null : lower(other),
      })
    }),
  )

const ends = [
  'completed',
  'completed',
  'completed',
  'blocked',
  'failed',
  'awaiting_review',
  'cancelled',
] as const
const anyEnds = fc.infiniteStream(fc.constantFrom(...ends))

/** Plays the plan: starts every ready task and lets it end somehow, and holds and frees tasks as scheduled. */
function play(
  plan: TaskStanding[],
  nextEnd: () => TaskStatus,
  began: (task: TaskStanding, all: TaskStanding[]) => void,
): TaskStanding[] {
  let tasks = plan
  const put = (id: number, more: Partial<TaskStanding>) => {
    tasks = tasks.map((task) => (task.id === id ? { ...task, ...more } : task))
  }
  for (let rounds = 0; rounds < 200; rounds += 1) {
    const { ready, hold, free } = schedule(tasks)
    for (const each of hold) put(each.task, { status: 'blocked', reason: 'dependency', heldFor: each.detail })
    for (const id of free) put(id, { status: 'pending', reason: null, heldFor: null })
    if (hold.length + free.length > 0) continue
    const [first] = ready
    if (first === undefined) return tasks
    const task = tasks.find(({ id }) => id === first)
    if (task) began(task, tasks)
    const status = nextEnd()
    put(first, {
      status,
      reason: status === 'blocked' ? 'gate' : status === 'failed' ? 'crash' : null,
      begun: true,
    })
  }
  throw new Error('the plan does not come to an end')
}

function ofEveryPlan(holds: (plan: TaskStanding[], nextEnd: () => TaskStatus) => void): void {
  fc.assert(
    fc.property(anyPlan, anyEnds, (plan, stream) => holds(plan, () => stream.next().value ?? 'completed')),
    { numRuns: samples(500) },
  )
}

const unsolved = ({ status, heldFor }: TaskStanding) =>
  heldFor === null && ['blocked', 'failed', 'awaiting_review'].includes(status)

describe('in every plan', () => {
  test('no task starts before its dependencies or before a lower group', () => {
    ofEveryPlan((plan, nextEnd) => {
      play(plan, nextEnd, ({ dependsOn, group }, all) => {
        const done = (id: number) => all.find((task) => task.id === id)?.status === 'completed'
        expect(dependsOn.every(done)).toBe(true)
        const lower = all.filter((task) => group !== null && task.group !== null && task.group < group)
        expect(lower.every(({ status }) => status === 'completed' || status === 'cancelled')).toBe(true)
      })
    })
  })

  test('every task starts if all goes well', () => {
    ofEveryPlan((plan) => {
      const end = play(
        plan,
        () => 'completed',
        () => {},
      )
      expect(end.map(({ status }) => status)).toEqual(plan.map(() => 'completed'))
    })
  })

  test('at the end each task has started, or is held by one that needs a person', () => {
    ofEveryPlan((plan, nextEnd) => {
      const end = play(plan, nextEnd, () => {})
      const isCause = (task: TaskStanding) => unsolved(task) || task.status === 'cancelled'
      for (const { status, heldFor } of end) {
        expect(status === 'pending' || status === 'in_progress').toBe(false)
        if (heldFor === null) continue
        const named = [...heldFor.matchAll(/Task (\d+) /g)].map(([, id]) => Number(id))
        expect(named.length).toBeGreaterThan(0)
        for (const id of named) expect(end.some((task) => task.id === id && isCause(task))).toBe(true)
      }
    })
  })

  test('every held task is freed and starts once the causes are solved', () => {
    ofEveryPlan((plan, nextEnd) => {
      let tasks = play(plan, nextEnd, () => {})
      tasks = tasks.map((task) =>
        task.heldFor === null ? { ...task, status: 'completed', reason: null } : task,
      )
      const end = play(
        tasks,
        () => 'completed',
        () => {},
      )
      expect(end.every(({ status }) => status === 'completed')).toBe(true)
    })
  })
})
