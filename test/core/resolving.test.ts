/** Approved work that does not land: which branch is merged into it, by whom, how often, and when a person is asked. */
import { describe, expect, test } from 'vitest'
import type { EventType } from '../../src/core/event.ts'
import { decideMove } from '../../src/core/person/move.ts'
import type { LandOutcome, Place, Unmerged } from '../../src/core/place.ts'
import { fails, givesUp, requests, times, timesOut, vanishes, works } from './turns.ts'
import { World } from './world.ts'

const gates = [{ name: 'test', command: 'npm test', kind: 'gate' as const }]
const landing = (maxCycles = 3) => new World({ land: 'base', gates, maxCycles })
const typesSince = (world: World, type: EventType) => {
  const types = world.events.map((event) => event.type)
  return types.slice(types.indexOf(type))
}
const landed = {
  standing: { status: 'completed', verdict: 'APPROVED' },
  landing: { landed: { base: 'main' } },
}
const rejects = { does: 'judges', review: { verdict: 'REJECTED' } } as const
const conflicts = [{ path: 'src/a.ts', kind: 'text' }]
const settled = { theirs: expect.any(String), left: 'left', conflicts }
const both = 'umpire/7-add conflicts with main: src/a.ts. Both branches are kept.'

describe('a conflict at landing', () => {
  test('gets a resolver session, and the result is committed as a merge, checked, reviewed and landed', () => {
    const world = landing(1).play({ landings: ['conflicts'] })
    expect(world.loop).toMatchObject({
      ...landed,
      landing: { ...landed.landing, resolving: null },
      review: { cycle: 2 },
    })
    expect(typesSince(world, 'loop.resolving')).toEqual([
      ...['loop.resolving', 'loop.merging', 'session.started', 'session.ended', 'loop.committed'],
      ...['loop.checking', 'gate.completed', 'loop.reviewing', 'review.started', 'session.started'],
      ...['session.ended', 'review.completed', 'loop.approved', 'loop.landing'],
      ...['gate.completed', 'loop.integrated', 'loop.landed'],
    ])
    expect(world.all('loop.committed').at(-1)?.message).toBe('Merge main: resolve conflicts')
    expect(world.sessions('resolver')).toMatchObject([{ iteration: 1, cycle: 2, attempt: 1 }])
    expect(world.loop.work.merged).toMatchObject({ branch: 'main', tree: world.loop.work.head?.tree })
    expect(world.loop.work.merged?.resolutions).toEqual([
      {
        branch: 'main',
        sha: world.loop.work.head?.sha,
        ours: world.all('loop.committed')[0]?.sha,
        ...settled,
      },
    ])
  })

  test('voids the approval, even if the resolution has the same tree', () => {
    const same = { does: 'works', tree: 'tree-7-1' } as const
    const world = landing().play({ landings: ['conflicts'], resolver: [same] })
    expect(world.all('loop.approved')).toHaveLength(2)
    expect(world.all('review.completed').map(({ cycle }) => cycle)).toEqual([1, 2])
  })

  test('goes to the developer if a review sends the resolution back', () => {
    const world = landing().play({
      landings: ['conflicts'],
      resolver: [works({ 'src/a.ts': [[1, 5]] })],
      reviewer: [{ does: 'approves' }, requests({ file: 'src/a.ts', line: 2 })],
    })
    expect(world.sessions('developer')).toHaveLength(2)
    expect(world.loop).toMatchObject({ ...landed, review: { cycle: 3 } })
  })

  test('blocks the task after two failed resolutions: the approved work is kept, and both merge and retry try again', () => {
    for (const move of ['merge', 'retry'] as const) {
      const world = landing().play({ landings: ['conflicts'], resolutions: ['unresolved', 'unresolved'] })
      expect(world.sessions('resolver').map(({ attempt }) => attempt)).toEqual([1, 2])
      expect(world.steps('resolve').map(({ told }) => told)).toEqual([null, 'Marks are left.'])
      expect(world.steps('abandon')).toHaveLength(1)
      expect(world.loop).toMatchObject({
        standing: { status: 'blocked', reason: 'conflict', verdict: 'APPROVED' },
        turn: { phase: 'land' },
      })
      expect(world.loop.standing.detail).toBe(`${both} Marks are left.`)
      expect(world.loop.standing.recovery[0]).toBe('git -C .umpire/worktrees/7 merge main')
      expect(world.goOn(move).loop).toMatchObject(landed)
      expect(world.sessions('reviewer')).toHaveLength(1)
    }
  })

  test.each([
    ['a resolver that runs out of time', { resolver: [timesOut, timesOut] }, 2],
    ['a hook that refuses the merge', { resolutions: ['refused', 'refused'] as const }, 2],
    ['a resolver that says that it can not', { resolver: [givesUp] }, 1],
  ])('%s counts as unresolved', (_, script, sessions) => {
    const world = landing().play({ landings: ['conflicts'], ...script })
    expect(world.loop).toMatchObject({
      standing: { status: 'blocked', reason: 'conflict', verdict: 'APPROVED' },
    })
    expect(world.sessions('resolver')).toHaveLength(sessions)
  })

  test('fails the task after the retries of a crashing resolver, and a retry continues the same merge', () => {
    const world = landing().play({ landings: ['conflicts'], resolver: [vanishes, ...times(3, fails())] })
    expect(world.loop).toMatchObject({
      standing: { status: 'failed', reason: 'crash', verdict: null },
      turn: { phase: 'resolve' },
    })
    expect(world.sessions('resolver').map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4])
    expect(decideMove(world.loop, { kind: 'improve', note: 'x', text: null }, 'ada').kind).toBe('refused')
    expect(decideMove(world.loop, { kind: 'merge', why: null }, 'ada').kind).toBe('refused')
    expect(decideMove(world.loop, { kind: 'verdict', verdict: 'APPROVED', why: null }, 'ada').kind).toBe(
      'refused',
    )
    expect(world.goOn('retry').loop).toMatchObject(landed)
    expect(world.steps('merge')).toHaveLength(1)
  })

  test('that a person resolved meanwhile is committed by umpire review, and not resolved again', () => {
    const broken = () => landing().play({ landings: ['conflicts'], resolver: times(3, fails()) })
    const world = broken().goOn('review')
    expect(world.loop).toMatchObject(landed)
    expect(world.sessions('resolver')).toHaveLength(3)
    const unresolved = broken().goOn('review', { resolutions: ['unresolved'] })
    expect(unresolved.loop).toMatchObject({
      standing: { status: 'blocked', reason: 'conflict', detail: `${both} Marks are left.` },
    })
    expect(unresolved.steps('abandon')).toEqual([])
  })

  test('needs a person at the tenth landing in a row', () => {
    const world = landing().play({ landings: times(20, 'conflicts' as const) })
    expect(world.loop).toMatchObject({
      standing: { status: 'blocked', reason: 'conflict', verdict: 'APPROVED' },
    })
    expect(world.all('loop.resolving')).toHaveLength(9)
    expect(world.all('loop.landing')).toHaveLength(10)
  })

  test('that no longer exists lets the work land as approved', () => {
    const world = landing().play({ landings: ['conflicts'], merges: ['contained'] })
    expect(world.loop).toMatchObject({ ...landed, review: { cycle: 1 } })
    expect(world.sessions('resolver')).toEqual([])
  })

  test.each(['merge', 'review'] as const)('after a person’s %s blocks for that person at once', (move) => {
    const world = new World({ land: 'base', gates, maxCycles: 1 }).play({ reviewer: [requests()] })
    if (move === 'merge') world.person('approve')
    world.goOn(move, { landings: ['conflicts'] })
    expect(world.loop).toMatchObject({
      standing: { status: 'blocked', reason: 'conflict', verdict: 'APPROVED' },
    })
    expect(world.all('loop.resolving')).toEqual([])
  })
})

describe('a gate that fails only on the merged tree', () => {
  test('sends the work back with the other branch merged in; then it is reviewed again and lands', () => {
    const world = landing(1).play({ landings: ['fails-gate'], merges: ['clean'] })
    expect(world.loop).toMatchObject({ ...landed, review: { cycle: 2 } })
    expect(typesSince(world, 'loop.feedback').slice(0, 5)).toEqual([
      ...['loop.feedback', 'loop.resolving', 'loop.merging', 'loop.committed', 'loop.developing'],
    ])
    expect(world.loop.turn.feedback?.said).toMatchObject({
      from: 'gate',
      gates: [{ name: 'test' }],
      merged: 'main',
    })
    expect(world.sessions('resolver')).toEqual([])
    expect(world.all('loop.committed').map(({ message }) => message)).toEqual([
      ...['Add a feature', 'Merge main: update the branch', 'Fix failing gate test'],
    ])
  })

  test('sends the work back twice, then needs a person', () => {
    const world = landing().play({ landings: times(9, 'fails-gate' as const) })
    expect(world.loop).toMatchObject({ standing: { status: 'blocked', reason: 'gate', verdict: 'APPROVED' } })
    expect(world.all('loop.resolving')).toHaveLength(2)
  })

  test('is not blamed on the work if it also fails without it', () => {
    const world = landing().play({ landings: ['breaks'] })
    world.person('retry').claim()
    const failed = { name: 'test', command: 'npm test', exitCode: 1, timedOut: false, output: '' }
    const outcome: LandOutcome = { kind: 'gate', gates: [failed], tree: 't', commit: 'm1', alone: true }
    world.append({ type: 'loop.landing', data: { base: 'main', cycle: 1 } })
    world.append({ type: 'loop.integrated', data: { outcome, cycle: 1 } }).play()
    expect(world.loop).toMatchObject({ standing: { status: 'blocked', reason: 'gate', verdict: 'APPROVED' } })
    expect(world.loop.standing.detail).toBe(
      'Gate test fails on main itself, even without this work. main was not changed.',
    )
  })
})

const place: Place = { branch: 'umpire/7-add', base: 'main', baseCommit: 'c0', worktree: 'worktrees/7' }
const startedAt = (world: World, more: Partial<Place>, unmerged: Unmerged[] = []) =>
  world.append({ type: 'loop.started', data: { place: { ...place, ...more }, unmerged } })

test('a loop that builds on conflicting work resolves the conflicts one by one, then develops', () => {
  const of = (task: number) => ({ commit: `c${task}`, branch: `umpire/${task}-it`, files: ['src/a.ts'] })
  const world = startedAt(new World({ gates }), { root: 'r', start: 'r' }, [of(2), of(3)]).play()
  expect(world.sessions('resolver').map(({ attempt }) => attempt)).toEqual([1, 2])
  expect(world.all('loop.committed').map(({ message }) => message)).toEqual([
    ...['Merge umpire/2-it: resolve conflicts', 'Merge umpire/3-it: resolve conflicts', 'Add a feature'],
  ])
  expect(world.steps('develop')).toMatchObject([{ iteration: 1, unfinished: false }])
  expect(world.loop).toMatchObject({
    standing: { status: 'completed', verdict: 'APPROVED' },
    review: { cycle: 1 },
  })
  // The reviewer sees both resolutions, whatever the developer did since.
  expect(world.loop.work.merged?.resolutions?.map(({ branch, theirs }) => [branch, theirs])).toEqual([
    ['umpire/2-it', 'c2'],
    ['umpire/3-it', 'c3'],
  ])

  const given = startedAt(new World({ gates }), {}, [of(2)]).play({ resolver: [givesUp] })
  expect(given.loop).toMatchObject({
    standing: { status: 'blocked', reason: 'conflict' },
    turn: { phase: 'resolve' },
  })
  expect(given.loop.standing.recovery).toEqual(['umpire log 7 --role resolver', 'umpire retry 7'])
  expect(given.goOn('retry').loop).toMatchObject({ standing: { status: 'completed', verdict: 'APPROVED' } })
})

describe('work of a group under land: branch', () => {
  const target = 'umpire/run-1/group-2'
  const grouped = (policy: object = {}) => startedAt(new World({ gates, ...policy }), { target })

  test('lands on the branch of its group, and from there on the base if a person merges it', () => {
    const world = grouped().play()
    expect(world.all('loop.approved')).toMatchObject([{ lands: true }])
    expect(world.all('loop.landing')).toMatchObject([{ base: target }])
    expect(world.loop).toMatchObject({ ...landed, landing: { landed: { base: target } } })
    expect(decideMove(world.loop, { kind: 'review', why: null }, 'ada').kind).toBe('refused')
    expect(world.goOn('merge').loop).toMatchObject(landed)
    expect(decideMove(world.loop, { kind: 'merge', why: null }, 'ada').kind).toBe('refused')
  })

  test('that conflicts with its group’s branch is resolved against it, and lands there before the base', () => {
    const world = grouped().play({ landings: ['conflicts'], resolutions: ['unresolved', 'unresolved'] })
    expect(world.loop.standing.recovery).toEqual([
      `git -C .umpire/worktrees/7 merge ${target}`,
      'git -C .umpire/worktrees/7 commit -a',
      ...['umpire review 7', 'umpire merge 7', 'umpire retry 7'],
    ])
    // A merge by hand that meets the conflict again shows the same commands. With a retry, a resolver tries it.
    expect(world.goOn('merge', { landings: ['conflicts'] }).loop.standing.recovery).toContain(
      'umpire retry 7',
    )
    expect(world.loop.standing.recovery[0]).toContain(target)
    expect(world.sessions('resolver')).toHaveLength(2)
    expect(world.goOn('merge').loop).toMatchObject({ ...landed, landing: { landed: { base: target } } })
    const base = world.goOn('merge', { landings: ['conflicts'] }).loop
    expect(base.standing.recovery[0]).toBe('git -C .umpire/worktrees/7 merge main')
    expect(base.standing.recovery).not.toContain('umpire retry 7')
    // The next merge continues with the base, and does not land on the group's branch again.
    expect(world.goOn('merge').loop).toMatchObject(landed)
    const bases = world.all('loop.landing').map((data) => data.base)
    expect(bases).toEqual([target, target, target, 'main', 'main'])
  })

  test('that a person approved lands on its group’s branch first', () => {
    const world = grouped()
      .play({ reviewer: [rejects] })
      .person('approve')
    expect(world.goOn('merge').loop).toMatchObject({ ...landed, landing: { landed: { base: target } } })
    expect(world.goOn('merge').loop).toMatchObject(landed)
  })

  test('is in_progress and APPROVED while it waits to land', () => {
    const world = grouped().play()
    const waiting = world.trace.find(({ step }) => step.do === 'land')
    expect(waiting?.loop).toMatchObject({
      standing: { status: 'in_progress', verdict: 'APPROVED' },
      turn: { phase: 'land' },
    })
  })

  test('lands there without a review if reviews are disabled', () => {
    const world = grouped({ reviewed: false }).play()
    expect(world.loop).toMatchObject({
      standing: { status: 'completed', verdict: null },
      landing: { landed: { base: target } },
    })
    const conflicting = grouped({ reviewed: false }).play({ landings: ['conflicts'] })
    expect(conflicting.loop).toMatchObject({
      standing: { status: 'completed', verdict: null },
      landing: { landed: { base: target } },
    })
    expect(conflicting.sessions('resolver')).toHaveLength(1)
  })
})
