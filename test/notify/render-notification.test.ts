import { expect, test } from 'vitest'
import { summarise, type TaskSummary } from '../../src/core/summary.ts'
import type { Notification } from '../../src/notify/notifier.ts'
import { renderDigest, renderNotification, type ToldEvent } from '../../src/notify/render-notification.ts'
import { World } from '../core/world.ts'

const place = { seq: 9, version: 4, at: '2026-01-01T12:00:00.000Z' }
const task: TaskSummary = summarise(new World({}, { title: 'Add a greeting' }).loop)

test('describes a task as it was when it stopped, with its branch, even if it continues by now', () => {
  const event: ToldEvent = {
    ...{ ...place, stream: 'task/7', type: 'loop.blocked' },
    data: {
      reason: 'stalled',
      detail: 'Nothing\nchanged.',
      recovery: ['umpire show 7'],
      verdict: null,
      cycle: 2,
    },
  }
  expect(renderNotification(event, [{ ...task, branch: 'umpire/7-add', iteration: 1 }], 'app')).toEqual({
    id: 'app-9',
    event: 'loop.blocked',
    at: place.at,
    repository: 'app',
    task: 7,
    reason: 'stalled',
    title: 'app: task 7 needs you: Add a greeting',
    message: 'Nothing changed.\nKept: branch umpire/7-add and its worktree.',
    next: ['umpire show 7'],
  })
})

test('the end of a run shows counts, then each task, those that need a person first', () => {
  const done: TaskSummary = { ...task, status: 'completed', verdict: 'APPROVED' }
  const tasks: TaskSummary[] = [
    { ...done, id: 1 },
    { ...done, id: 2, verdict: null },
    { ...task, id: 3, status: 'blocked', reason: 'gate' },
    { ...task, id: 4, status: 'failed', reason: 'crash' },
    { ...task, id: 5, status: 'in_progress' },
    ...[6, 7, 8, 9, 10, 11, 12].map((id) => ({ ...done, id })),
  ]
  const event: ToldEvent = {
    ...{ ...place, stream: 'run/5', type: 'run.ended' },
    data: { outcome: 'finished', worked: [] },
  }
  const told = renderNotification(event, tasks, 'app')
  expect(told?.title).toBe(
    'app: run 5 ended: 8 approved, 1 completed without a review, 1 needs you, 1 failed, 1 not finished',
  )
  const lines = told?.message.split('\n') ?? []
  expect(lines.slice(0, 2)).toEqual([
    '3. Add a greeting: blocked (gate)',
    '4. Add a greeting: failed (crash)',
  ])
  expect(lines).toHaveLength(11)
  expect(lines.at(-1)).toBe('and 2 more')
})

test('says nothing about a task that was deleted meanwhile', () => {
  const event: ToldEvent = {
    ...{ ...place, stream: 'task/7', type: 'loop.failed' },
    data: { reason: 'crash', detail: 'It crashed.', recovery: [], cycle: 1 },
  }
  expect(renderNotification(event, [], 'app')).toBeNull()
})

test('a digest names the first ten', () => {
  const each = (number: number): Notification => ({
    ...{ id: `app-${number}`, event: 'loop.failed', at: place.at, repository: 'app', task: number },
    ...{ reason: 'crash', title: `task ${number} failed`, message: '', next: [] },
  })
  const digest = renderDigest([each(1), ...Array.from({ length: 11 }, (_, index) => each(index + 2))])
  expect(digest.title).toBe('app: 12 notifications from the quiet hours')
  expect(digest.message.split('\n')).toHaveLength(11)
  expect(digest.message).toMatch(/^task 1 failed\n.*and 2 more$/s)
})
