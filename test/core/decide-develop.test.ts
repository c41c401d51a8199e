/** The developer's turns: what Umpire retries, what a failure costs, when a turn ends, and what Umpire commits. */
import { describe, expect, test } from 'vitest'
import { decide } from '../../src/core/decide.ts'
import { summarise } from '../../src/core/summary.ts'
import { baseTree } from './played-tree.ts'
import {
  changesNothing,
  fails,
  isInterrupted,
  isLimited,
  isTooLong,
  requests,
  times,
  timesOut,
  unreadable,
  vanishes,
  works,
  worksOn,
  worksTo,
} from './turns.ts'
import { World } from './world.ts'

/** How long each step waited, in seconds after the session before it ended. */
function waits(world: World, step: 'develop' | 'review'): (number | null)[] {
  return world.trace.flatMap((at) => {
    if (at.step.do !== step || at.loop.turn.tries.last === null || at.step.notBefore === null) return []
    return [(Date.parse(at.step.notBefore) - Date.parse(at.loop.turn.tries.last.at)) / 1_000]
  })
}

describe('an agent that fails', () => {
  test('is run again after 2 s and 8 s, and then fails the task with its reason', () => {
    const world = new World({ agentRetries: 2 }).play({ developer: times(9, fails('overloaded')) })
    expect(world.loop).toMatchObject({ standing: { status: 'failed', reason: 'overloaded', verdict: null } })
    expect(world.loop.standing.detail).toBe('The developer failed: it broke down')
    expect(world.sessions('developer').map((session) => session.attempt)).toEqual([1, 2, 3])
    expect(waits(world, 'develop')).toEqual([2, 8])
  })

  test('keeps its iteration and its revision, however often it runs', () => {
    const world = new World().play({
      developer: [works(), fails(), fails(), works()],
      reviewer: [requests()],
    })
    expect(world.loop).toMatchObject({
      standing: { status: 'completed' },
      turn: { iteration: 2, revisions: 1 },
      review: { cycle: 2 },
    })
    expect(world.sessions('developer').map(({ iteration, attempt }) => [iteration, attempt])).toEqual([
      [1, 1],
      [2, 1],
      [2, 2],
      [2, 3],
    ])
  })

  test('has all its retries again at its next turn', () => {
    const developer = [fails(), fails(), works(), fails(), fails(), works()]
    const { loop } = new World({ agentRetries: 2 }).play({ developer, reviewer: [requests()] })
    expect(loop).toMatchObject({ standing: { status: 'completed' }, turn: { iteration: 2 } })
  })

  test('because it is not logged in is not run again', () => {
    const world = new World({ agentRetries: 2 }).play({ developer: [fails('auth')] })
    expect(world.loop).toMatchObject({ standing: { status: 'failed', reason: 'auth' } })
    expect(world.sessions('developer')).toHaveLength(1)
  })

  test.each([fails('auth'), { ...fails(), retry: 'never' as const }])(
    'is run again if the loop was released before the task failed (%o)',
    (hopeless) => {
      const played = new World({ agentRetries: 0 }).play({ developer: [hopeless] })
      const failed = played.trace.find(({ loop }) => loop.turn.tries.failures === 1)?.loop
      const world = new World({ agentRetries: 0 })
      world.append(...played.events.slice(2, failed?.version))
      world.append({ type: 'loop.released', data: { why: 'interrupted' } }).claim()
      expect(decide(world.loop)).toMatchObject({ do: 'develop', iteration: 1, attempt: 2, notBefore: null })
      expect(world.play().loop).toMatchObject({ standing: { status: 'completed' }, turn: { iteration: 1 } })
    },
  )

  test('and would always fail, such as for a missing model, is not run again', () => {
    const never = { does: 'fails', class: 'crash', retry: 'never' } as const
    const world = new World({ agentRetries: 2 }).play({ reviewer: [never] })
    expect(world.loop).toMatchObject({
      standing: { status: 'failed', reason: 'crash' },
      review: { cycle: 0 },
    })
    expect(world.sessions('reviewer')).toHaveLength(1)
  })

  test('as a reviewer costs no cycle, and its timeout is a failure like any other', () => {
    const world = new World({ agentRetries: 2 }).play({ reviewer: [fails('timeout'), fails('crash')] })
    expect(world.loop).toMatchObject({
      standing: { status: 'completed' },
      review: { cycle: 1 },
      turn: { revisions: 0 },
    })
    expect(waits(world, 'review')).toEqual([2, 8])
    const { loop } = new World({ agentRetries: 0 }).play({ reviewer: [fails('timeout')] })
    expect(loop).toMatchObject({ standing: { status: 'failed', reason: 'timeout' }, review: { cycle: 0 } })
  })
})

describe('a rate limit', () => {
  const retryAt = '2026-01-01T05:00:00.000Z'

  test('with a known end makes the loop wait, and costs no retry', () => {
    const world = new World({ agentRetries: 0 }).play({
      developer: [isLimited(retryAt)],
      reviewer: [isLimited('2026-01-02T00:00:00.000Z'), requests()],
    })
    const [first, second] = world.steps('develop')
    expect(first).toMatchObject({ notBefore: null, iteration: 1, unfinished: false })
    // The worktree still contains the work of the first session.
    expect(second).toMatchObject({ notBefore: retryAt, iteration: 1, unfinished: true })
    expect(world.loop).toMatchObject({
      standing: { status: 'completed' },
      turn: { iteration: 2, revisions: 1 },
      review: { cycle: 2 },
    })
  })

  test('makes every worker that claims the loop meanwhile wait until the same time', () => {
    const world = new World().play({ developer: [isLimited(retryAt)] })
    const waiting = world.trace.find(({ loop }) => loop.turn.tries.waits === 1)?.loop
    const cut = new World()
    cut.append(...world.events.slice(2, waiting?.version))
    expect(summarise(cut.loop).waitsFor).toEqual({ agent: 'scripted', until: retryAt })
    cut.append({ type: 'loop.released', data: { why: 'interrupted' } })
    expect(summarise(cut.loop)).toMatchObject({ status: 'pending', waitsFor: { until: retryAt } })
    expect(decide(cut.claim().loop)).toMatchObject({ do: 'develop', notBefore: retryAt })
    expect(summarise(world.loop).waitsFor).toBeNull()
  })

  test('that is hit again and again makes the pauses longer, and finally fails the task', () => {
    const long = new World().play({ developer: times(60, isLimited('2026-01-01T00:00:01.000Z')) })
    expect(long.sessions('developer')).toHaveLength(51)
    expect(long.loop).toMatchObject({ standing: { status: 'failed', reason: 'rate_limited' } })
    expect(long.loop.standing.detail).toContain('Umpire gave up after waiting 50 times in a row.')
    expect(waits(long, 'develop').slice(0, 6)).toEqual([2, 8, 32, 128, 300, 300])
  })

  test('that ends only in some weeks fails the task', () => {
    const world = new World().play({
      developer: [isLimited('2026-01-07T12:00:00.000Z'), isLimited('2026-01-20T00:00:00.000Z')],
    })
    expect(world.sessions('developer')).toHaveLength(2)
    expect(world.loop).toMatchObject({ standing: { status: 'failed', reason: 'rate_limited' } })
    expect(world.loop.standing.detail).toContain('Umpire waits at most 8 days')
    expect(world.person('retry').claim().play().loop.standing.status).toBe('completed')
  })

  test('without a known end costs a retry each time', () => {
    const world = new World({ agentRetries: 1 }).play({ developer: times(3, fails('rate_limited')) })
    expect(world.loop).toMatchObject({ standing: { status: 'failed', reason: 'rate_limited' } })
    expect(waits(world, 'develop')).toEqual([2])
  })
})

describe('a prompt that is too long', () => {
  test('is shortened once, without a pause and without costing a retry', () => {
    const world = new World({ agentRetries: 0 }).play({ reviewer: [isTooLong], developer: [isTooLong] })
    expect(world.loop).toMatchObject({
      standing: { status: 'completed' },
      review: { cycle: 1 },
      turn: { iteration: 1 },
    })
    for (const step of ['develop', 'review'] as const)
      expect(world.steps(step).map(({ prompt, notBefore }) => [prompt, notBefore])).toEqual([
        ['whole', null],
        ['short', null],
      ])
  })

  test('fails the task if the short prompt is too long as well, and a retry starts with the whole one', () => {
    const world = new World({ agentRetries: 2 }).play({ reviewer: times(2, isTooLong) })
    expect(world.loop).toMatchObject({ standing: { status: 'failed', reason: 'crash' } })
    expect(world.loop.standing.detail).toContain('A shorter prompt failed too.')
    expect(world.person('retry').claim().play().steps('review').at(-1)?.prompt).toBe('whole')
  })
})

describe('a session that vanished', () => {
  test('costs no retry', () => {
    const developer = [vanishes, fails(), vanishes, vanishes, works()]
    expect(new World({ agentRetries: 1 }).play({ developer }).loop).toMatchObject({
      standing: { status: 'completed' },
      turn: { iteration: 1 },
    })
  })

  test('is started again at once, nine times, and the tenth in a row is a crash', () => {
    expect(new World({ agentRetries: 0 }).play({ developer: times(9, vanishes) }).loop.standing.status).toBe(
      'completed',
    )
    const world = new World({ agentRetries: 0 }).play({ developer: times(10, vanishes) })
    expect(world.loop).toMatchObject({
      standing: { status: 'failed', reason: 'crash' },
      turn: { iteration: 1 },
    })
    expect(world.steps('develop').every((step) => step.notBefore === null)).toBe(true)
  })

  test('counts only in a row: a failure in between restarts the count', () => {
    const developer = [...times(9, vanishes), fails(), ...times(9, vanishes), works()]
    expect(new World({ agentRetries: 1 }).play({ developer }).loop.standing.status).toBe('completed')
  })
})

describe('a session that a person interrupted', () => {
  test('is continued under the same number by the worker that claims the loop next', () => {
    const world = new World().play({
      developer: [works(), isInterrupted, works()],
      reviewer: [requests(), isInterrupted],
    })
    expect(world.loop).toMatchObject({
      standing: { status: 'completed' },
      turn: { iteration: 2, revisions: 1 },
      review: { cycle: 2 },
    })
    expect(world.sessions('developer').map(({ iteration, attempt }) => [iteration, attempt])).toEqual([
      [1, 1],
      [2, 1],
      [2, 2],
    ])
  })
})

describe('a developer that runs out of time', () => {
  test('is not run again: Umpire commits its work so far and asks a person', () => {
    const world = new World().play({ developer: [timesOut] })
    expect(world.loop).toMatchObject({ standing: { status: 'blocked', reason: 'timeout', verdict: null } })
    expect(world.loop.standing.detail).toBe(
      'The developer reached its time limit of 60 minutes. Its work so far is committed.',
    )
    expect(world.all('loop.committed')).toHaveLength(1)
    expect(world.sessions('reviewer')).toEqual([])
  })

  test('is not run again either when a hook refuses the commit', () => {
    const world = new World().play({ developer: [timesOut], commits: ['refused'] })
    expect(world.loop).toMatchObject({
      standing: { status: 'blocked', reason: 'timeout' },
      work: { head: null },
    })
    expect(world.sessions('developer')).toHaveLength(1)
    world.person('retry').claim().play()
    expect(world.loop.standing.status).toBe('completed')
    expect(world.loop.turn.feedback?.said).toMatchObject({ from: 'gate', gates: [{ name: 'commit hook' }] })
  })

  test('continues from there after a retry', () => {
    const world = new World().play({ developer: [works(), timesOut], reviewer: [requests()] })
    expect(world.loop).toMatchObject({
      standing: { reason: 'timeout', verdict: 'CHANGES_REQUESTED' },
      turn: { iteration: 2 },
    })
    world.person('retry').claim().play()
    expect(world.loop).toMatchObject({
      standing: { status: 'completed' },
      turn: { iteration: 3, revisions: 1 },
    })
    expect(world.steps('commit').at(-1)?.subject).toBe('Address review feedback (cycle 1)')
  })
})

describe('an empty diff', () => {
  test('is never reviewed: Umpire tells the developer once, and then the loop is stalled', () => {
    const world = new World().play({ developer: times(5, changesNothing) })
    expect(world.loop).toMatchObject({
      standing: { status: 'blocked', reason: 'stalled' },
      review: { cycle: 0 },
      turn: { iteration: 2 },
    })
    expect(world.loop.standing.detail).toBe('The developer changed nothing, even after it was told so.')
    expect(world.all('loop.feedback').map(({ feedback }) => feedback)).toEqual([{ from: 'empty' }])
    expect(world.sessions('reviewer')).toEqual([])
  })

  test('does no harm if the developer then gets to work', () => {
    expect(new World().play({ developer: [changesNothing, works()] }).loop).toMatchObject({
      standing: { verdict: 'APPROVED' },
    })
  })

  test('is also the result of a revision that reverts everything', () => {
    const world = new World().play({
      developer: [works(), worksTo(baseTree), works()],
      reviewer: [requests()],
    })
    expect(world.all('loop.feedback').map(({ feedback }) => feedback.from)).toEqual(['review', 'empty'])
    expect(world.loop).toMatchObject({ standing: { status: 'completed' }, review: { cycle: 2 } })
  })
})

describe('develop.until: claim', () => {
  test('continues with the next iteration until the developer says that it is done', () => {
    const world = new World({ until: 'claim' }).play({ developer: [worksOn, worksOn, works()] })
    expect(world.loop).toMatchObject({
      standing: { status: 'completed' },
      turn: { iteration: 3 },
      review: { cycle: 1 },
    })
    expect(world.steps('develop').map((step) => step.unfinished)).toEqual([false, true, true])
    expect(world.all('loop.committed')).toHaveLength(3)
  })

  test('asks for the claim again after each review, and counts all sessions until it as one revision', () => {
    const world = new World({ until: 'claim', maxCycles: 2 }).play({
      developer: [works(), worksOn, worksOn, works()],
      reviewer: [requests()],
    })
    expect(world.loop).toMatchObject({
      standing: { status: 'completed' },
      turn: { iteration: 4, revisions: 1 },
      review: { cycle: 2 },
    })
  })

  test('stops at max_iterations', () => {
    const { loop } = new World({ until: 'claim', maxIterations: 3 }).play({ developer: times(9, worksOn) })
    expect(loop).toMatchObject({ standing: { status: 'blocked', reason: 'stalled' }, turn: { iteration: 3 } })
    expect(loop.standing.detail).toBe(
      'The task was not finished in 3 iterations (max_iterations). umpire retry allows as many again.',
    )
    expect(loop.standing.recovery.slice(0, 2)).toEqual(['umpire log 7 --role developer', 'umpire retry 7'])
  })

  test('turned off: the work is done when the session ends', () => {
    expect(new World().play({ developer: [worksOn] }).loop).toMatchObject({
      standing: { status: 'completed' },
      turn: { iteration: 1 },
    })
  })
})

describe('commits', () => {
  test('name the title first, then the review or the gate that they answer', () => {
    const gates = [{ name: 'test', command: 'npm test', kind: 'gate' }] as const
    const world = new World({ gates: [...gates], maxCycles: 4 }).play({
      reviewer: [requests(), unreadable, requests()],
      gates: ['fail', 'pass', 'fail', 'pass', 'pass'],
    })
    expect(world.all('loop.committed').map((commit) => commit.message)).toEqual([
      'Add a feature',
      'Fix failing gate test',
      'Address review feedback (cycle 1)',
      'Fix failing gate test',
      'Address review feedback (cycle 2)',
    ])
  })

  test('still name the title if a hook refused the first commit, or if there was no work yet', () => {
    const refused = new World().play({ commits: ['refused'] })
    expect(refused.all('loop.committed').map((commit) => commit.message)).toEqual(['Add a feature'])
    const empty = new World().play({ developer: [changesNothing, works()] })
    expect(empty.steps('commit').map((step) => step.subject)).toEqual(['Add a feature', 'Add a feature'])
  })
})
