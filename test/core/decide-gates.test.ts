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

  test('does not keep the others from being run: the developer hears of all at once', () => {
    const world = new World({ gates: [testGate, lint] }).play({ gates: ['fail', 'fail'] })
    const [told] = world.all('loop.feedback')
    expect(told?.feedback).toMatchObject({ gates: [{ name: 'test' }, { name: 'lint' }] })
    expect(world.steps('commit').at(-1)?.subject).toBe('Fix failing gate test, lint')
  })

  test('three times in a row blocks, and the verdict of the last review is still said', () => {
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

  test('is counted in a row only: a review in between restarts the count', () => {
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

describe('flakes', () => {
  test('a revision that changed nothing runs the gate once more, and if it passes nobody is blamed', () => {
    const world = new World({ gates: [testGate] }).play({
      developer: [works(), changesNothing],
      gates: ['fail', 'pass'],
    })
    expect(world.loop).toMatchObject({ standing: { status: 'completed' }, review: { cycle: 1 } })
    expect(world.all('gate.completed')).toHaveLength(2)
  })

  test('if it fails again the loop is stalled', () => {
    const { loop } = new World({ gates: [testGate] }).play({
      developer: [works(), changesNothing],
      gates: ['fail', 'fail'],
    })
    expect(loop).toMatchObject({ standing: { status: 'blocked', reason: 'stalled' } })
    expect(loop.standing.detail).toBe('The revision after the failed gate test changed nothing.')
  })

  test('if another gate fails now, the developer has not heard of that one and is told', () => {
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
  test('is a failed gate, with the words of the hook as feedback', () => {
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

  test('is counted with the other gates', () => {
    const { loop } = new World({ gates: [testGate], maxGateFailures: 3 }).play({
      commits: ['refused', 'accepted', 'refused'],
      gates: ['fail'],
    })
    expect(loop).toMatchObject({
      standing: { status: 'blocked', reason: 'gate', detail: 'Gate commit hook failed 3 times in a row.' },
    })
  })
})

describe('the order of things', () => {
  test('each gate runs on each new tree before it is reviewed', () => {
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

  test("a task's own gate is tried once on the base; a failure there is told and excuses nothing", () => {
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

  test('gate failures and empty turns together still come to an end', () => {
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
