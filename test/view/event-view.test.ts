/** Messages for events that involve several parties: a panel's seats, merges with other work, a task's start. */
import { describe, expect, test } from 'vitest'
import type { EventData, EventType, StoredEvent } from '../../src/core/event.ts'
import type { Place } from '../../src/core/place.ts'
import { combinePanel } from '../../src/core/review/panel-verdict.ts'
import type { Review } from '../../src/core/review/review.ts'
import { eventMessage } from '../../src/view/event-view.ts'
import { createProgress } from '../../src/view/progress.ts'

function happened<T extends EventType>(type: T, data: EventData[T]): StoredEvent {
  const event = { seq: 1, version: 1, stream: 'task/7', at: '2026-01-01T00:00:00.000Z', type, data }
  return event as StoredEvent
}

const said = <T extends EventType>(type: T, data: EventData[T]) => eventMessage(happened(type, data))

/** On a terminal and in a pipe. */
const shown = <T extends EventType>(type: T, data: EventData[T]) =>
  (['what is not live', 'every step'] as const).map((telling) =>
    createProgress(telling)(happened(type, data)),
  )

const ended = {
  ...{ session: '7-2p2', exitCode: 1, agentSession: null, claimed: false, messages: 0 },
  ...{ costUsd: null, tokens: null, refused: [] },
  outcome: { kind: 'failed', class: 'crash', detail: 'it ended.', retryAt: null } as const,
}
const failure = {
  ...{ review: '7-2p2-review', cycle: 1, attempt: 1, session: '7-2p2', cause: 'agent' as const },
  ...{ why: 'it ended.', rawOutput: '' },
}

describe('a panel', () => {
  test('reports a seat’s failure as that seat’s, not as the review’s', () => {
    const beside = { kind: 'panel', seat: 2 } as const
    expect(said('session.ended', ended)).toBe('Session failed (crash): it ended.')
    expect(said('session.ended', { ...ended, beside })).toBe('Session of seat 2 failed (crash): it ended.')
    expect(said('session.lost', { session: '7-2p2', beside, detail: 'gone' })).toBe(
      'Session of seat 2 lost: gone',
    )
    expect(said('review.failed', failure)).toBe('Review gave no verdict: it ended.')
    expect(said('review.failed', { ...failure, seat: 2 })).toBe('Seat 2 gave no verdict: it ended.')
    const look = { kind: 'checkpoint', by: 7, iteration: 1 } as const
    expect(said('session.ended', { ...ended, beside: look })).toMatch(/^Session of a checkpoint failed/)
  })

  test('its summary starts with the seat that decided the verdict', () => {
    const says = (seat: number, verdict: Review['verdict'], summary: string) => {
      const nothing = { interpretedIntent: null, intentSatisfied: null, scores: {}, blocking: false }
      return { seat, agent: 'ra', body: { verdict, summary, ...nothing, issues: [] } }
    }
    const answers = [says(1, 'APPROVED', 'fine'), says(2, 'CHANGES_REQUESTED', 'No tests.')]
    const summaryBy = (approveBy: 'all' | 'any') => combinePanel(answers, 2, approveBy)?.summary
    expect(summaryBy('all')).toBe('Seat 2 (ra): CHANGES_REQUESTED. No tests.\n\nSeat 1 (ra): APPROVED. fine')
    expect(summaryBy('any')).toBe('Seat 1 (ra): APPROVED. fine\n\nSeat 2 (ra): CHANGES_REQUESTED. No tests.')
  })
})

describe('a merge with other work', () => {
  const other = { commit: 'c', branch: 'main', files: ['line.txt'] }

  test.each([
    [
      shown('loop.resolving', { why: 'conflict', other, cycle: 1 }),
      'Conflicts with main in line.txt. Merging that branch',
    ],
    [
      shown('loop.resolving', { why: 'gate', other, cycle: 1 }),
      'Fails when merged with main. Merging that branch',
    ],
    [shown('loop.unresolved', { files: [], why: 'Marks.', cycle: 1 }), 'Not resolved: Marks.'],
    [shown('loop.abandoned', { cycle: 1 }), 'The merge was abandoned. The work is as it was before.'],
    [
      shown('loop.feedback', {
        cycle: 1,
        feedback: {
          from: 'gate',
          merged: 'main',
          gates: [{ name: 'test', command: 't', exitCode: 1, timedOut: false, output: '' }],
        },
      }),
      'Sent back: gate test fails when merged with main',
    ],
  ])('is reported in every view: %j', (lines, words) => {
    for (const line of lines) expect(line).toContain(`#7 ${words}`)
  })

  test('is reported step by step if there is no live view', () => {
    const merging = { other: 'c', outcome: 'conflict', files: ['line.txt'], cycle: 1 } as const
    const lines = shown('loop.merging', { ...merging, files: [...merging.files] })
    expect(lines).toEqual([null, '#7 Resolving the conflicts in line.txt…'])
    // Feedback of a gate or a review was already reported by that gate or review.
    expect(shown('loop.feedback', { cycle: 1, feedback: { from: 'gate', gates: [] } })).toEqual([null, null])
  })
})

test('a task says what its branch starts from', () => {
  const place: Place = { branch: 'umpire/5-e', base: 'main', baseCommit: 'b', worktree: 'w' }
  const from = (more: Partial<Place>, task?: number) =>
    said('loop.started', {
      place: { ...place, ...more },
      ...(task !== undefined && { inherited: { task, sha: 's', tree: 't', feedback: null } }),
    }).replace('On branch umpire/5-e, from ', '')
  const root = { start: 's', root: 's' }
  const builtOn = [3, 4].map((task) => ({ task, sha: 's' }))
  expect(from({})).toBe('main')
  expect(from({ ...root, builtOn })).toBe('main with the work of tasks 3, 4')
  expect(from({ ...root, target: 'g', targetFrom: 's' })).toBe('main with the earlier groups')
  expect(from({ ...root, target: 'g', targetFrom: 's', builtOn: builtOn.slice(1) })).toBe(
    'main with the earlier groups and the work of task 4',
  )
  expect(from({ target: 'g', targetFrom: 'b' })).toBe('main')
  expect(from({ start: 's' }, 2)).toBe('the work of task 2')
})

test('a session with nothing to fix says that it continues', () => {
  const turn = { iteration: 2, cycle: 1, attempt: 1, maxCycles: 3 }
  expect(said('loop.developing', { ...turn, iteration: 1, told: 'nothing' })).toBe('Developing…')
  expect(said('loop.developing', { ...turn, told: 'nothing' })).toBe('Continuing…')
  expect(said('loop.developing', { ...turn, told: 'review' })).toBe('Improving…')
})
