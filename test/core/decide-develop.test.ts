/** The developer's turns: what is tried again, what costs what, when a turn is over, and what is committed. */
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
  test('is run again after 2 s and 8 s, and then the task has failed with its reason', () => {
    const world = new World({ agentRetries: 2 }).play({ developer: times(9, fails('overloaded')) })
    expect(world.loop).toMatchObject({ standing: { status: 'failed', reason: 'overloaded', verdict: null } })
    expect(world.loop.standing.detail).toBe('The developer failed: it broke down')
    expect(world.sessions('developer').map((session) => session.attempt)).toEqual([1, 2, 3])
    expect(waits(world, 'develop')).toEqual([2, 8])
  })

  test('keeps its iteration and its revision, however often it is run', () => {
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

  test('starts with a clean slate at its next turn', () => {
    const developer = [fails(), fails(), works(), fails(), fails(), works()]
    const { loop } = new World({ agentRetries: 2 }).play({ developer, reviewer: [requests()] })
    expect(loop).toMatchObject({ standing: { status: 'completed' }, turn: { iteration: 2 } })
  })

  test('and is not logged in is not run again', () => {
    const world = new World({ agentRetries: 2 }).play({ developer: [fails('auth')] })
    expect(world.loop).toMatchObject({ standing: { status: 'failed', reason: 'auth' } })
    expect(world.sessions('developer')).toHaveLength(1)
  })

  test.each([fails('auth'), { ...fails(), retry: 'never' as const }])(
    'and was put back before it was given up is run again when it is taken up (%o)',
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

  test('and will fail for ever, for want of its model perhaps, is not run again', () => {
    const never = { does: 'fails', class: 'crash', retry: 'never' } as const
    const world = new World({ agentRetries: 2 }).play({ reviewer: [never] })
    expect(world.loop).toMatchObject({
      standing: { status: 'failed', reason: 'crash' },
      review: { cycle: 0 },
    })
    expect(world.sessions('reviewer')).toHaveLength(1)
  })

  test('as a reviewer costs no cycle, and its time-out is a failure like any other', () => {
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

describe('an agent at a limit', () => {
  const retryAt = '2026-01-01T05:00:00.000Z'

  test('that names the time of its end is waited for, and nothing is spent on it', () => {
    const world = new World({ agentRetries: 0 }).play({
      developer: [isLimited(retryAt)],
      reviewer: [isLimited('2026-01-02T00:00:00.000Z'), requests()],
    })
    const [first, second] = world.steps('develop')
    expect(first).toMatchObject({ notBefore: null, iteration: 1, unfinished: false })
    // What the first one did until then lies in the worktree.
    expect(second).toMatchObject({ notBefore: retryAt, iteration: 1, unfinished: true })
    expect(world.loop).toMatchObject({
      standing: { status: 'completed' },
      turn: { iteration: 2, revisions: 1 },
      review: { cycle: 2 },
    })
  })

  test('every worker that claims the loop in between waits for it until the same time', () => {
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

  test('that is met again and again is given ever more time, and in the end given up', () => {
    const long = new World().play({ developer: times(60, isLimited('2026-01-01T00:00:01.000Z')) })
    expect(long.sessions('developer')).toHaveLength(51)
    expect(long.loop).toMatchObject({ standing: { status: 'failed', reason: 'rate_limited' } })
    expect(long.loop.standing.detail).toContain('Umpire waited for it 50 times in a row.')
    expect(waits(long, 'develop').slice(0, 6)).toEqual([2, 8, 32, 128, 300, 300])
  })

  test('that is over in some weeks is not waited for', () => {
    const world = new World().play({
      developer: [isLimited('2026-01-07T12:00:00.000Z'), isLimited('2026-01-20T00:00:00.000Z')],
    })
    expect(world.sessions('developer')).toHaveLength(2)
    expect(world.loop).toMatchObject({ standing: { status: 'failed', reason: 'rate_limited' } })
    expect(world.loop.standing.detail).toContain('longer than the 8 days')
    expect(world.person('retry').claim().play().loop.standing.status).toBe('completed')
  })

  test('that names no time costs a retry each time', () => {
    const world = new World({ agentRetries: 1 }).play({ developer: times(3, fails('rate_limited')) })
    expect(world.loop).toMatchObject({ standing: { status: 'failed', reason: 'rate_limited' } })
    expect(waits(world, 'develop')).toEqual([2])
  })
})

describe('a prompt that is too long', () => {
  test('is made shorter once, without a pause and without the cost of a retry', () => {
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

  test('is the end when the short one is too long as well; a retry begins with the whole one', () => {
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

  test('is started again at once, nine times; the tenth in a row is a crash', () => {
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

  test('is counted in a row only: a failure in between restarts the count', () => {
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
  test('is not run again: its work so far is committed, and a person is asked', () => {
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

  test('goes on from there after a retry', () => {
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
  test('is never reviewed: the developer is told so, once, and then the loop is stalled', () => {
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

  test('is no harm when the developer then gets to work', () => {
    expect(new World().play({ developer: [changesNothing, works()] }).loop).toMatchObject({
      standing: { verdict: 'APPROVED' },
    })
  })

  test('is also the result of a revision that takes everything back', () => {
    const world = new World().play({
      developer: [works(), worksTo(baseTree), works()],
      reviewer: [requests()],
    })
    expect(world.all('loop.feedback').map(({ feedback }) => feedback.from)).toEqual(['review', 'empty'])
    expect(world.loop).toMatchObject({ standing: { status: 'completed' }, review: { cycle: 2 } })
  })
})

describe('develop.until: claim', () => {
  test('goes on with the next iteration until the developer says that it is done', () => {
    const world = new World({ until: 'claim' }).play({ developer: [worksOn, worksOn, works()] })
    expect(world.loop).toMatchObject({
      standing: { status: 'completed' },
      turn: { iteration: 3 },
      review: { cycle: 1 },
    })
    expect(world.steps('develop').map((step) => step.unfinished)).toEqual([false, true, true])
    expect(world.all('loop.committed')).toHaveLength(3)
  })

  test('asks for the claim again after each review; the sessions it takes are one revision', () => {
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
      'The task was not finished in 3 iterations (max_iterations). A retry allows as many again.',
    )
    expect(loop.standing.recovery.slice(0, 2)).toEqual(['umpire log 7 --role developer', 'umpire retry 7'])
  })

  test('does not matter when the end of the session is the end of the work', () => {
    expect(new World().play({ developer: [worksOn] }).loop).toMatchObject({
      standing: { status: 'completed' },
      turn: { iteration: 1 },
    })
  })
})

describe('commits', () => {
  test('carry the title first, then the review or the gate that they answer', () => {
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

  test('carry the title even if a hook refused it at first, or if there was no work yet', () => {
    const refused = new World().play({ commits: ['refused'] })
    expect(refused.all('loop.committed').map((commit) => commit.message)).toEqual(['Add a feature'])
    const empty = new World().play({ developer: [changesNothing, works()] })
    expect(empty.steps('commit').map((step) => step.subject)).toEqual(['Add a feature', 'Add a feature'])
  })
})
