/** Lists of tasks: the width of their lines, and what they say about tasks that wait for others. */
import { describe, expect, test } from 'vitest'
import { summarise, type TaskSummary } from '../../src/core/summary.ts'
import { widthOf } from '../../src/lib/text/columns.ts'
import { createPaint } from '../../src/lib/text/paint.ts'
import { statusLine } from '../../src/view/status-line.ts'
import { ranges, taskLines } from '../../src/view/task-lines.ts'
import { World } from '../core/world.ts'

const summary = (id: number, more: Partial<TaskSummary> = {}): TaskSummary => ({
  ...summarise(new World().loop),
  ...{ id, title: `Task number ${id}`, status: 'pending' },
  ...more,
})

const failed = (id: number) =>
  summary(id, {
    status: 'failed',
    reason: 'crash',
    detail: 'It ended with 1.',
    recovery: [`umpire retry ${id}`],
  })

const held = (id: number, by: number[], detail = `Task ${by[0]} failed: crash.`) =>
  summary(id, {
    ...{ status: 'blocked', reason: 'dependency', heldBy: by, detail },
    recovery: by.map((each) => `umpire show ${each}`),
  })

const list = (tasks: TaskSummary[], how: 'each' | 'gathered' = 'gathered') =>
  taskLines(tasks, { width: null, columns: 200, held: how })

describe('tasks that wait for others', () => {
  test('have one line each, because the tasks that they wait for say what to do', () => {
    const lines = list([failed(1), held(2, [1]), held(3, [1])])
    expect(lines.slice(3)).toEqual([
      '! 2. implement Task number 2  blocked  dependency (waits for 1)',
      '! 3. implement Task number 3  blocked  dependency (waits for 1)',
    ])
    expect(lines.filter((line) => line.includes('next:'))).toHaveLength(1)
  })

  test('are grouped if many wait for the same task, unless each is requested', () => {
    const many = [failed(4), ...Array.from({ length: 16 }, (_, at) => held(5 + at, [4]))]
    expect(list(many).at(-1)).toBe('! 16 tasks wait for 4: 5–20')
    expect(list(many)).toHaveLength(4)
    expect(list(many, 'each')).toHaveLength(19)
  })

  test('say once themselves what no other task in the list says', () => {
    const gone = list([held(2, [1], 'Task 1 was deleted.'), held(3, [1], 'Task 1 was deleted.')])
    expect(gone.filter((line) => line.includes('Task 1 was deleted.'))).toHaveLength(1)
    expect(gone.filter((line) => line.includes('next: umpire show 1'))).toHaveLength(1)
    // All tasks of a deadlock wait, so no other task says it for them.
    const deadlock = list([
      held(1, [2], 'They wait for each other.'),
      held(2, [1], 'They wait for each other.'),
    ])
    expect(deadlock.join('\n')).toContain('They wait for each other.')
  })
})

test('consecutive numbers are written as a range', () => {
  expect(ranges([7, 5, 6, 9, 11, 12])).toBe('5–7, 9, 11, 12')
})

describe('a line', () => {
  const long = summary(12, {
    ...{
      title:
        'Rename the flag that nobody has understood so far 日本語, and all that goes with it in the files',
    },
    ...{ status: 'in_progress', cycle: 1, maxCycles: 3, costUsd: 1.25, dependsOn: [3, 5], group: 2 },
  })

  test('is never wider than the terminal, and its title gets the remaining width', () => {
    for (const columns of [20, 40, 60, 79, 100, 119, 300])
      for (const paint of [createPaint('on'), createPaint('off')])
        expect(widthOf(statusLine(long, paint, columns))).toBeLessThanOrEqual(columns)
    expect(statusLine(long, undefined, 100)).toMatch(
      /^→ 12\. implement Rename the .*… {2}in_progress \(cycle \d\/3\) {2}\$1\.25 {2}after 3, 5, group 2$/,
    )
    // With little room, the end of the line is dropped before the title.
    expect(statusLine(long, undefined, 79)).toMatch(
      /^→ 12\. implement Rename .{20,}… {2}in_progress .* {2}\$1\.25$/,
    )
    expect(statusLine(long, undefined, 66)).toMatch(
      /^→ 12\. implement Rename .{10,}… {2}in_progress \(cycle \d\/3\)$/,
    )
  })

  test('outside a terminal has the whole title', () => {
    expect(statusLine(long)).toContain(long.title)
  })
})
