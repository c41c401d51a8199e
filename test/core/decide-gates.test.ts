/** Gates are facts that stand between the developer and the reviewer. */
import { describe, expect, test } from 'vitest'
import type { Gate } from '../../src/core/policy/policy.ts'
import { changesNothing, requests, times, works } from './turns.ts'
import { World } from './world.ts'

const testGate: Gate = { name: 'test', command: 'npm test', kind: 'gate' }
const lint: Gate = { name: 'lint', command: 'npm run lint', kind: 'gate' }
const own: Gate = { name: 'backpressure', command: './check', kind: 'backpressure' }

describe('a gate that fails', () => {
  test('goes back to the developer with its output and costs no review', () => {
    const world = new World({ gates: [testGate] }).play({ gates: ['fail', 'pass'] })
    expect(world.loop).toMatchObject({
      standing: { status: 'completed' },
      review: { cycle: 1 },
      turn: { iteration: 2, revisions: 0 },
    })
    expect(world.all('loop.feedback').map(({ feedback }) => feedback)).toEqual([
      {
        from: 'gate',
        gates: [
          { name: 'test', command: 'npm test', exitCode: 1, timedOut: false, output: 'test is not happy' },
        ],
      },
    ])
    expect(world.sessions('reviewer')).toHaveLength(1)
  })

  test('does not stop the other gates: the developer gets all failures at once', () => {
    const world = new World({ gates: [testGate, lint] }).play({ gates: ['fail', 'fail'] })
    const [told] = world.all('loop.feedback')
    expect(told?.feedback).toMatchObject({ gates: [{ name: 'test' }, { name: 'lint' }] })
    expect(world.steps('commit').at(-1)?.subject).toBe('Fix failing gate test, lint')
  })

  test('three times in a row blocks the task, and keeps the verdict of the last review', () => {
    const world = new World({ gates: [testGate], maxGateFailures: 3 }).play({
      reviewer: [requests()],
      gates: ['pass', 'fail', 'fail', 'fail'],
    })
    expect(world.loop).toMatchObject({
      standing: { status: 'blocked', reason: 'gate', verdict: 'CHANGES_REQUESTED' },
      review: { cycle: 1 },
    })
    expect(world.loop.standing.detail).toBe('Gate test failed 3 times in a row.')
    expect(world.sessions('developer')).toHaveLength(4)
  })

  test('counts only in a row: a review in between restarts the count', () => {
    const { loop } = new World({ gates: [testGate], maxGateFailures: 2 }).play({
      reviewer: [requests()],
      gates: ['fail', 'pass', 'fail', 'pass'],
    })
    expect(loop).toMatchObject({
      standing: { status: 'completed' },
      review: { cycle: 2 },
      turn: { iteration: 4 },
    })
  })
})

describe('flaky gates', () => {
  test('after a revision without changes the gate runs once more, and the work is reviewed if it passes', () => {
    const world = new World({ gates: [testGate] }).play({
      developer: [works(), changesNothing],
      gates: ['fail', 'pass'],
    })
    expect(world.loop).toMatchObject({ standing: { status: 'completed' }, review: { cycle: 1 } })
    expect(world.all('gate.completed')).toHaveLength(2)
  })

  test('if the gate fails again, the loop is stalled', () => {
    const { loop } = new World({ gates: [testGate] }).play({
      developer: [works(), changesNothing],
      gates: ['fail', 'fail'],
    })
    expect(loop).toMatchObject({ standing: { status: 'blocked', reason: 'stalled' } })
    expect(loop.standing.detail).toBe('The revision after the failed gate test changed nothing.')
  })

  test('if another gate fails now, the developer gets its output', () => {
    const world = new World({ gates: [testGate, lint] }).play({
      developer: [works(), changesNothing],
      gates: ['fail', 'pass', 'pass', 'fail'],
    })
    expect(world.all('loop.feedback').map(({ feedback }) => feedback)).toMatchObject([
      { gates: [{ name: 'test' }] },
      { gates: [{ name: 'lint' }] },
    ])
    expect(world.loop.standing.status).toBe('completed')
  })
})

describe('a commit that a hook refuses', () => {
  test('is a failed gate, with the output of the hook as feedback', () => {
    const world = new World().play({ commits: ['refused'] })
    expect(world.loop).toMatchObject({
      standing: { status: 'completed' },
      turn: { iteration: 2 },
      review: { cycle: 1 },
    })
    expect(world.all('loop.feedback').map(({ feedback }) => feedback)).toMatchObject([
      { from: 'gate', gates: [{ name: 'commit hook', output: 'commit hook is not happy' }] },
    ])
  })

  test('counts together with the other gates', () => {
    const { loop } = new World({ gates: [testGate], maxGateFailures: 3 }).play({
      commits: ['refused', 'accepted', 'refused'],
      gates: ['fail'],
    })
    expect(loop).toMatchObject({
      standing: { status: 'blocked', reason: 'gate', detail: 'Gate commit hook failed 3 times in a row.' },
    })
  })
})

describe('the order', () => {
  test('each gate runs on each new tree before its review', () => {
    const world = new World({ gates: [testGate, lint] }).play({ reviewer: [requests()] })
    const order = world.events.flatMap((event) => {
      if (event.type === 'gate.completed') return [`${event.data.name} ${event.data.tree}`]
      if (event.type === 'review.started') return [`review ${event.data.tree}`]
      return []
    })
    expect(order).toEqual([
      'test tree-7-1',
      'lint tree-7-1',
      'review tree-7-1',
      'test tree-7-3',
      'lint tree-7-3',
      'review tree-7-3',
    ])
  })

  test("a task's own gate runs once on the base, and a failure there is recorded but excuses nothing", () => {
    const world = new World({ gates: [testGate, own], baseline: true }).play({
      gates: ['fail', 'pass', 'fail', 'pass', 'pass'],
    })
    expect(world.all('gate.baseline').map(({ name, passed }) => [name, passed])).toEqual([
      ['backpressure', false],
    ])
    expect(world.all('gate.completed').map(({ name, kind, passed }) => [name, kind, passed])).toEqual([
      ['test', 'gate', true],
      ['backpressure', 'backpressure', false],
      ['test', 'gate', true],
      ['backpressure', 'backpressure', true],
    ])
    expect(world.loop.standing.status).toBe('completed')
  })

  test('gate failures and empty turns together still end', () => {
    const world = new World({ gates: [testGate], maxGateFailures: 3 }).play({
      developer: Array.from({ length: 20 }, (_, turn) =>
        turn % 2 === 0 ? works() : { does: 'works', tree: 'base' },
      ),
      gates: times(20, 'fail'),
    })
    expect(world.loop).toMatchObject({
      standing: { status: 'blocked', reason: 'gate' },
      turn: { iteration: 5 },
    })
  })
})
