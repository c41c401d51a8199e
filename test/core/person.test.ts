/** A person's moves: when each one is allowed, and what it leads to. */
import { describe, expect, test } from 'vitest'
import { decideMove, type Move } from '../../src/core/person/move.ts'
import { judges, requests } from './turns.ts'
import { World } from './world.ts'

const retry: Move = { kind: 'retry', why: null }
const cancel: Move = { kind: 'cancel', why: null }
const approve: Move = { kind: 'verdict', verdict: 'APPROVED', why: 'I looked at it.' }

const furtherDependencies: Move = { kind: 'change', changes: { dependsOn: [2, 3] } }

const working = () => new World()
const completed = () => new World().play()
const blocked = () => new World({ maxCycles: 1 }).play({ reviewer: [requests()] })
const cancelled = () => blocked().person('cancel')

function make(world: World, move: Move): World {
  const outcome = decideMove(world.loop, move, 'ada')
  if (outcome.kind === 'refused') throw new Error(outcome.why)
  return world.append(...outcome.events)
}

describe('Umpire refuses a move and suggests another:', () => {
  test.each([
    ['retry of a task that is worked on', working, retry, 'Task 7 is already in_progress.'],
    ['retry of a completed task', completed, retry, 'Task 7 is completed.'],
    ['cancel of a completed task', completed, cancel, 'Task 7 is already completed.'],
    ['a verdict on a task that is worked on', working, approve, 'Task 7 is being worked on.'],
    ['a verdict on a cancelled task', cancelled, approve, 'Task 7 is cancelled.'],
    [
      'an edit of a completed task',
      completed,
      { kind: 'change', changes: { title: 'x' } },
      'Task 7 is completed.',
    ],
    [
      'a further dependency of a task that has begun',
      blocked,
      furtherDependencies,
      "Task 7 has started, so it can't build on the work of 2, 3 any more.",
    ],
    [
      'another group of a task that has begun',
      blocked,
      { kind: 'change', changes: { group: 2 } },
      "Task 7 has started, so it can't join group 2 any more.",
    ],
    ['the deletion of a task that is worked on', working, { kind: 'delete' }, 'Task 7 is being worked on.'],
  ] as const)('%s', (_, world, move, why) => {
    expect(decideMove(world().loop, move, 'ada')).toEqual({
      kind: 'refused',
      why,
      fix: expect.stringMatching(/\S/),
    })
  })
})

test('refuses a step by hand on a held task, and says what holds it and what to do', () => {
  const world = new World()
  const detail = 'Task 3 failed: crash.'
  const recovery = ['umpire show 3', 'umpire retry 3']
  world.append({
    type: 'loop.blocked',
    data: { reason: 'dependency', detail, recovery, verdict: null, cycle: 0, by: [3] },
  })
  for (const move of [
    { kind: 'review', why: null },
    { kind: 'improve', note: null, text: null },
    { kind: 'merge', why: null },
  ] as const)
    expect(decideMove(world.loop, move, 'ada')).toEqual({
      kind: 'refused',
      why: 'Task 7 has no work yet. Task 3 failed: crash.',
      fix: 'First: umpire show 3, or umpire retry 3.',
    })
})

test("a person's APPROVED completes a blocked task, and is recorded as that person's", () => {
  const world = make(blocked(), approve)
  expect(world.loop).toMatchObject({ standing: { status: 'completed', verdict: 'APPROVED', reason: null } })
  expect(world.all('person.decided')).toMatchObject([{ move: 'verdict', by: 'ada', why: 'I looked at it.' }])
  expect(world.all('loop.approved')).toMatchObject([
    { by: 'person', review: null, tree: world.loop.work.head?.tree },
  ])
})

test.each([
  ['CHANGES_REQUESTED', 'changes_requested'],
  ['NEEDS_DISCUSSION', 'needs_discussion'],
  ['REJECTED', 'rejected'],
] as const)("a person's %s blocks the task with the reason %s", (verdict, reason) => {
  const { loop } = make(blocked(), { kind: 'verdict', verdict, why: null })
  expect(loop).toMatchObject({ standing: { status: 'blocked', reason, verdict } })
  expect(loop.standing.recovery.length).toBeGreaterThan(0)
})

test.each(['NEEDS_DISCUSSION', 'REJECTED'] as const)(
  "a person's %s replaces the review before it, even if the task is cancelled and retried",
  (verdict) => {
    for (const completed of [new World().play(), new World({ land: 'base' }).play({ landings: ['waits'] })]) {
      const world = make(make(completed, { kind: 'verdict', verdict, why: null }), cancel)
      world.goOn('retry', { reviewer: [judges({ verdict: 'REJECTED' })] })
      expect(world.loop).toMatchObject({
        standing: { status: 'blocked', reason: 'rejected' },
        review: { cycle: 2 },
        landing: { approval: null },
      })
      expect(world.all('loop.approved')).toHaveLength(1)
    }
  },
)

test('a person’s commit on top of finished work is not approved until the person approves it', () => {
  const world = completed()
  const { sha = '' } = world.loop.work.head ?? {}
  const commit = { sha: 'c9', tree: 'mine', from: sha, session: '7-1', iteration: 1, empty: false }
  world.append({ type: 'loop.committed', data: { ...commit, message: 'Change by hand' } })
  expect(world.loop).toMatchObject({
    standing: { status: 'awaiting_review', verdict: null },
    landing: { approval: null },
  })
  expect(decideMove(world.loop, { kind: 'merge', why: null }, 'ada').kind).toBe('refused')
  expect(make(world, approve).loop).toMatchObject({
    standing: { status: 'completed', verdict: 'APPROVED' },
    landing: { approval: { by: 'person', tree: 'mine' } },
  })
})

test('a blocked task can be changed, retried and cancelled', () => {
  const world = make(blocked(), { kind: 'change', changes: { maxCycles: 5 } })
  expect(world.loop).toMatchObject({
    standing: { status: 'blocked' },
    task: { maxCycles: 5, title: 'Add a feature' },
  })
  expect(make(world, retry).loop.standing.status).toBe('pending')
  expect(make(world, cancel).loop).toMatchObject({
    standing: { status: 'cancelled' },
    turn: { session: null },
    claim: null,
  })
})

test("a person's CHANGES_REQUESTED on approved work sends it back with the person's reason and to a new review", () => {
  const world = make(completed(), {
    kind: 'verdict',
    verdict: 'CHANGES_REQUESTED',
    why: 'Say it in French, too.',
  })
  make(world, retry).claim().play()
  const answered = world.trace.filter(({ step }) => step.do === 'develop').at(-1)
  expect(answered?.loop.turn.feedback?.said).toMatchObject({
    from: 'review',
    summary: 'Say it in French, too.',
  })
  expect(world.sessions('reviewer')).toHaveLength(2)
  expect(world.loop).toMatchObject({
    standing: { status: 'completed', verdict: 'APPROVED' },
    review: { cycle: 2 },
  })
})

test('a task that has started may lose dependencies', () => {
  const world = make(blocked(), { kind: 'change', changes: { title: 'Other' } })
  world.append({ type: 'task.changed', data: { changes: { dependsOn: [2, 3] }, by: 'ada' } })
  expect(make(world, { kind: 'change', changes: { dependsOn: [3] } }).loop.task.dependsOn).toEqual([3])
})
