import { expect, test } from 'vitest'
import { summarise, type TaskSummary } from '../../src/core/summary.ts'
import { nextLines } from '../../src/view/next-lines.ts'
import { statusLine } from '../../src/view/status-line.ts'
import { World } from '../core/world.ts'

const done = summarise(new World().play({}).loop)
const gathered = (id: number, group: number): TaskSummary => {
  const target = `umpire/run-1/group-${group}`
  return { ...done, id, group, target, landed: 'c0ffee', landedOn: target }
}
const merged = { ...done, landed: 'c0ffee', landedOn: 'main' }

test('work on a task’s or a group’s branch is shown with the command that merges it', () => {
  expect(nextLines([done])).toEqual(['Next: umpire diff 7 shows the changes, umpire merge 7 merges them.'])
  expect(nextLines([{ ...done, id: 1 }, gathered(2, 1), gathered(3, 2), gathered(4, 2)])).toEqual([
    'Next: umpire diff 1 shows the changes, umpire merge 1 merges them.',
    'Next: umpire diff ID shows the changes, umpire merge 3 4 merges umpire/run-1/group-2 and the earlier groups (2).',
  ])
  const unreviewed = { ...gathered(5, 1), verdict: null }
  expect(nextLines([gathered(3, 2), unreviewed, gathered(2, 1)])[0]).toContain(
    'umpire merge 3 5 merges umpire/run-1/group-2 and the earlier groups (2).',
  )
  expect(nextLines([gathered(2, 1)])).toEqual([
    'Next: umpire diff 2 shows the changes, umpire merge 2 merges umpire/run-1/group-1.',
  ])
})

test('merged work is shown with its diff command, and tasks without work are left out', () => {
  expect(nextLines([merged])).toEqual(['Next: umpire diff 7 shows the changes. They are already in main.'])
  expect(
    nextLines([
      { ...done, status: 'blocked' },
      { ...done, type: 'review' },
    ]),
  ).toEqual([])
})

test('a task is shown as merged only when its base has it, and until then on its group’s branch', () => {
  expect(statusLine(merged)).toContain('APPROVED (1 cycle)  merged')
  const line = statusLine(gathered(3, 2))
  expect(line).toContain('APPROVED (1 cycle)  on umpire/run-1/group-2')
  expect(line).not.toContain('merged')
})
