import { describe, expect, test } from 'vitest'
import { decide } from '../../src/core/decide.ts'
import { applyChange, type Loop } from '../../src/core/loop.ts'
import type { CarriedWork } from '../../src/core/place.ts'
import {
  carriedDetail,
  carriedRecovery,
  carriedRefusal,
  doubtCarried,
  isDecidedOn,
} from '../../src/core/schedule/carried-work.ts'
import { World } from './world.ts'

const workOf = ({ id, work: { head } }: Loop) => ({ task: id, sha: head?.sha ?? '' })
const doubtOf = (loop: Loop) => doubtCarried(loop, workOf(loop))

describe('a landing may carry work that it builds on', () => {
  test('if a review or a person approved exactly that work', () => {
    expect(doubtOf(new World().play().loop)).toBeNull()
    expect(doubtOf(new World({ reviewed: false }).play().person('approve').loop)).toBeNull()
  })

  test('even if that work is about to land, or can’t land at the moment', () => {
    expect(doubtOf(new World({ land: 'base' }).play({ landings: ['waits'] }).loop)).toBeNull()
  })

  test('but not if it was never reviewed', () => {
    expect(doubtOf(new World({ reviewed: false }).play().loop)).toBe('unreviewed')
    expect(doubtOf(new World({ reviewed: false, land: 'base' }).play().loop)).toBe('unreviewed')
  })

  test('but not if it was rejected, sent back, cancelled or deleted', () => {
    const done = () => new World().play()
    const verdict = (verdict: 'REJECTED' | 'CHANGES_REQUESTED') =>
      done().person({ kind: 'verdict', verdict, why: 'no' }).loop
    expect(doubtOf(verdict('REJECTED'))).toBe('rejected')
    expect(doubtOf(verdict('CHANGES_REQUESTED'))).toBe('sent_back')
    expect(doubtOf(new World({ trigger: 'explicit' }).play().loop)).toBe('awaits_review')
    expect(
      doubtOf(done().person({ kind: 'verdict', verdict: 'REJECTED', why: null }).person('cancel').loop),
    ).toBe('cancelled')
    expect(doubtOf(done().person({ kind: 'delete' }).loop)).toBe('deleted')
    expect(doubtCarried(null, { task: 1, sha: 'a' })).toBe('deleted')
  })

  test('but not if it changed since, until the base contains the later work', () => {
    const { loop } = new World().play()
    const older = { task: loop.id, sha: 'an older one' }
    expect(doubtCarried(loop, older)).toBe('changed')
    expect(isDecidedOn(loop, older, 'main')).toBe(false)
    expect(
      isDecidedOn(
        applyChange(loop, { landing: { landed: { base: 'umpire/run-1/group-1', commit: 'x' } } }),
        older,
        'main',
      ),
    ).toBe(false)
    expect(
      isDecidedOn(applyChange(loop, { landing: { landed: { base: 'main', commit: 'x' } } }), older, 'main'),
    ).toBe(true)
  })
})

const unreviewed: CarriedWork = { task: 1, sha: 'a', doubt: 'unreviewed' }
const rejected: CarriedWork = { task: 2, sha: 'b', doubt: 'rejected' }

describe('the message about carried work', () => {
  test('names the tasks, the reasons and the commands', () => {
    expect(carriedDetail([unreviewed, rejected], 'main')).toBe(
      'Task 1 was never reviewed. Task 2 was rejected. This task builds on their work, so a merge would also bring that work into main.',
    )
    expect(carriedRecovery([unreviewed])).toEqual([
      'umpire merge 1',
      'umpire review 1',
      'umpire edit 1 --verdict APPROVED',
    ])
    expect(carriedRecovery([rejected])).toEqual(['umpire review 2', 'umpire edit 2 --verdict APPROVED'])
  })

  test('suggests one command that merges both tasks, if that would work', () => {
    const { loop } = new World().play()
    expect(carriedRefusal(loop, [unreviewed])).toEqual({
      why: "Task 7 can't be merged. Task 1 was never reviewed. This task builds on its work, so a merge would also bring that work into main.",
      fix: 'First: umpire merge 1, or umpire review 1, or umpire edit 1 --verdict APPROVED. umpire merge 1 7 merges both.',
    })
    expect(carriedRefusal(loop, [rejected]).fix).toBe(
      'First: umpire review 2, or umpire edit 2 --verdict APPROVED.',
    )
  })
})

test('blocks a task that would carry unapproved work, and lands it once it is freed', () => {
  const world = new World({ land: 'base' }).play({ landings: ['carries'] })
  expect(world.loop).toMatchObject({
    standing: {
      status: 'blocked',
      reason: 'dependency',
      verdict: 'APPROVED',
      heldBy: null,
      detail:
        'Task 1 was never reviewed. This task builds on its work, so a merge would also bring that work into main.',
      recovery: ['umpire merge 1', 'umpire review 1', 'umpire edit 1 --verdict APPROVED'],
    },
    turn: { phase: 'land' },
  })
  expect(decide(world.loop)).toEqual({ do: 'rest' })
  world
    .append({ type: 'loop.freed', data: { why: 'it may land' } })
    .claim()
    .play()
  expect(world.loop).toMatchObject({
    standing: { status: 'completed' },
    landing: { landed: { base: 'main' } },
  })
  expect(world.sessions('reviewer')).toHaveLength(1)
})
