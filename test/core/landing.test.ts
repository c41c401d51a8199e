/** Landing: what Umpire merges into the base and when, what prevents it, and what a person can do then. */
import { describe, expect, test } from 'vitest'
import type { EventType } from '../../src/core/event.ts'
import { decideMove, type Move } from '../../src/core/person/move.ts'
import { fails, judges, type LandTurn, requests, times } from './turns.ts'
import { World } from './world.ts'

const gates = [{ name: 'test', command: 'npm test', kind: 'gate' as const }]
const verdict = (word: 'APPROVED' | 'CHANGES_REQUESTED' | 'NEEDS_DISCUSSION' | 'REJECTED'): Move => ({
  kind: 'verdict',
  verdict: word,
  why: 'I looked at it.',
})

const landsAtOnce = (landing: LandTurn = 'lands') =>
  new World({ land: 'base', gates }).play({ landings: [landing] })
/** Umpire asks a person at once only if that person asked for the merge. */
const mergedByHand = (landing: LandTurn) =>
  new World({ land: 'base', gates }).play({ landings: ['breaks'] }).goOn('merge', { landings: [landing] })
const typesSince = (world: World, type: EventType) => {
  const types = world.events.map((event) => event.type)
  return types.slice(types.lastIndexOf(type))
}

describe('land: base', () => {
  test('merges approved work within the same claim, checks the merged tree and keeps the verdict', () => {
    const world = landsAtOnce()
    expect(typesSince(world, 'loop.approved')).toEqual([
      'loop.approved',
      'loop.landing',
      'gate.completed',
      'loop.integrated',
      'loop.landed',
    ])
    expect(world.all('loop.claimed')).toHaveLength(1)
    expect(world.all('loop.approved')).toMatchObject([{ by: 'review', lands: true }])
    expect(world.steps('land')).toEqual([{ do: 'land', sha: world.loop.work.head?.sha, gates }])
    expect(world.loop).toMatchObject({
      standing: { status: 'completed', verdict: 'APPROVED' },
      claim: null,
      landing: { landed: { base: 'main', commit: `${world.loop.work.head?.sha}-on-main` } },
    })
  })

  test('does not merge work that was not approved', () => {
    for (const world of [
      new World({ land: 'base', reviewed: false }).play(),
      new World({ land: 'base', trigger: 'explicit' }).play(),
      new World({ land: 'base', maxCycles: 1 }).play({ reviewer: [requests()] }),
      new World({ land: 'base' }).play({ reviewer: [judges({ verdict: 'REJECTED' })] }),
    ]) {
      expect(world.steps('land')).toEqual([])
      expect(world.loop.landing.landed).toBeNull()
    }
  })

  test('merges work that a review by hand approves, even if the task wanted no review', () => {
    const world = new World({ land: 'base', reviewed: false }).play()
    expect(world.goOn('review').loop).toMatchObject({
      standing: { verdict: 'APPROVED' },
      landing: { landed: { base: 'main' } },
    })
  })

  test('continues the merge after an interruption, whatever the configuration says by then', () => {
    const world = new World({ land: 'base' }).play({ landings: ['breaks'] })
    expect(world.loop).toMatchObject({ standing: { status: 'failed', reason: 'vcs', verdict: 'APPROVED' } })
    world.person('retry').claim({ land: 'branch' }).play()
    expect(world.loop).toMatchObject({
      standing: { status: 'completed' },
      landing: { landed: { base: 'main' } },
    })
    expect(world.sessions('reviewer')).toHaveLength(1)
  })
})

test('land: branch keeps approved work on its branch until a person merges it', () => {
  const world = new World().play()
  expect(world.loop).toMatchObject({ standing: { status: 'completed' }, landing: { landed: null } })
  world.person('merge')
  expect(world.loop).toMatchObject({ standing: { status: 'pending', verdict: 'APPROVED' }, asked: 'merge' })
  world.claim()
  expect(world.loop).toMatchObject({ standing: { status: 'in_progress', verdict: 'APPROVED' } })
  expect(world.play().loop).toMatchObject({
    standing: { status: 'completed', verdict: 'APPROVED' },
    landing: { landed: { base: 'main' } },
  })
  expect(world.loop.asked).toBeNull()
})

describe('a merge by hand', () => {
  test('merges work that a person approved, and without a verdict work that was completed without a review', () => {
    const approved = new World({ maxCycles: 1 }).play({ reviewer: [requests()] }).person('approve')
    expect(approved.goOn('merge').loop).toMatchObject({
      standing: { verdict: 'APPROVED' },
      landing: { landed: { base: 'main' } },
    })
    const unreviewed = new World({ reviewed: false }).play()
    expect(unreviewed.goOn('merge').loop).toMatchObject({
      standing: { verdict: null },
      landing: { landed: { base: 'main' } },
    })
  })

  test.each([
    ['blocked', () => new World({ maxCycles: 1 }).play({ reviewer: [requests()] })],
    ['awaiting_review', () => new World({ trigger: 'explicit' }).play()],
    ['failed', () => new World().play({ reviewer: times(3, fails()) })],
    ['pending', () => new World().play({ reviewer: times(3, fails()) }).person('retry')],
  ])('is refused for work that is %s', (status, stopped) => {
    expect(decideMove(stopped().loop, { kind: 'merge', why: null }, 'ada')).toEqual({
      kind: 'refused',
      why: `Task 7 is ${status}, not approved.`,
      fix: 'umpire review 7 asks for a review; umpire edit 7 --verdict APPROVED approves it yourself.',
    })
  })

  test('is refused if blocking issues are open and no person approved the work', () => {
    const world = new World()
      .play()
      .goOn('review', { reviewer: [requests()] })
      .person('cancel')
    world.person('retry').claim({ reviewed: false }).play()
    expect(world.loop).toMatchObject({ standing: { status: 'completed', verdict: null } })
    expect(decideMove(world.loop, { kind: 'merge', why: null }, 'ada')).toEqual({
      kind: 'refused',
      why: 'Task 7 has open blocking issues.',
      fix: 'umpire review 7 asks again; umpire edit 7 --verdict APPROVED approves it yourself.',
    })
    expect(world.person('approve').goOn('merge').loop).toMatchObject({
      standing: { verdict: 'APPROVED' },
      landing: { landed: { base: 'main' } },
    })
  })

  test('of work completed without a review gives it no verdict, even after an earlier approval', () => {
    const world = new World()
      .play()
      .goOn('review', { reviewer: times(3, fails()) })
      .person('cancel')
    world.person('retry').claim({ reviewed: false }).play()
    expect(world.loop).toMatchObject({
      standing: { status: 'completed', verdict: null },
      landing: { approval: null },
    })
    expect(world.goOn('merge').loop).toMatchObject({
      standing: { verdict: null },
      landing: { landed: { base: 'main' } },
    })
  })

  test('is refused after it was cancelled, until a retry continues the same merge', () => {
    const world = new World({ reviewed: false }).play().goOn('merge', { landings: ['conflicts'] })
    world.person('cancel')
    expect(decideMove(world.loop, { kind: 'merge', why: null }, 'ada').kind).toBe('refused')
    world.goOn('retry')
    expect(world.loop).toMatchObject({
      standing: { status: 'completed', verdict: null },
      landing: { landed: { base: 'main' } },
    })
  })
})

describe('an obstacle to landing', () => {
  test.each<[LandTurn, string, string, string[]]>([
    [
      'conflicts',
      'conflict',
      'umpire/7-add conflicts with main: src/a.ts, src/b.ts. Both branches are kept.',
      [
        ...['git -C .umpire/worktrees/7 merge main', 'git -C .umpire/worktrees/7 commit -a'],
        ...['umpire review 7', 'umpire merge 7', 'umpire retry 7'],
      ],
    ],
    [
      'fails-gate',
      'gate',
      'Gate test fails after the merge with main. main was not changed.',
      ['umpire show 7', 'umpire improve 7', 'umpire merge 7'],
    ],
    [
      'is-refused',
      'gate',
      'A hook refused the merge into main: No merges on Fridays.',
      ['umpire show 7', 'umpire improve 7', 'umpire merge 7'],
    ],
    [
      'waits',
      'checkout_dirty',
      'The merged result waits on umpire/landed, because main is checked out: it is dirty.',
      ['git -C /home/ada/it merge --ff-only refs/umpire/landed-for/1', 'umpire merge 7'],
    ],
  ])(
    '%s: blocks the task and is reported, the approval stands, and both merge and retry try again',
    (landing, reason, detail, recovery) => {
      for (const move of ['merge', 'retry'] as const) {
        const world = mergedByHand(landing)
        expect(world.loop).toMatchObject({
          standing: { status: 'blocked', reason, detail, recovery, verdict: 'APPROVED' },
        })
        expect(world.loop.landing.landed).toBeNull()
        world.person(move)
        expect(world.loop).toMatchObject({
          standing: { status: 'pending', verdict: 'APPROVED', reason: null },
        })
        world.claim().play()
        expect(world.loop).toMatchObject({
          standing: { status: 'completed', verdict: 'APPROVED' },
          landing: { landed: { base: 'main' } },
        })
        expect(world.sessions('reviewer')).toHaveLength(1)
      }
    },
  )

  test('that is a dirty checkout disappears once the person has merged the work', () => {
    const world = landsAtOnce('waits')
    const found = { commit: world.loop.work.head?.sha ?? '', tree: null, checkout: null }
    world.append(
      { type: 'loop.integrated', data: { outcome: { kind: 'landed', ...found }, cycle: 1 } },
      { type: 'loop.landed', data: { base: 'main', ...found, cycle: 1 } },
    )
    expect(world.loop).toMatchObject({
      standing: { status: 'completed', verdict: 'APPROVED', reason: null },
      landing: { landed: { base: 'main' } },
    })
  })

  test('that is a gate failing on the merged tree does not count for the branch', () => {
    const world = mergedByHand('fails-gate')
    const {
      check: { gates: check },
    } = world.loop
    expect(check?.results.map(({ passed }) => passed)).toEqual([true])
    expect(
      world
        .goOn('review')
        .all('gate.completed')
        .map(({ passed }) => passed),
    ).toEqual([true, false, true])
  })

  test('goes to the developer with the failure and a hint how to reproduce it', () => {
    const hint = 'This fails once the work is merged with main. Merge main into your branch, then fix it.'
    const said = (landing: LandTurn, note: string | null) =>
      mergedByHand(landing).person({ kind: 'improve', note, text: null }).loop.turn.feedback?.said
    expect(said('fails-gate', null)).toMatchObject({ from: 'gate', gates: [{ name: 'test' }], note: hint })
    expect(said('fails-gate', 'Be quick.')).toMatchObject({ from: 'gate', note: `Be quick.\n\n${hint}` })
    expect(said('is-refused', null)).toMatchObject({
      from: 'gate',
      gates: [{ name: 'merge hook', output: 'No merges on Fridays.' }],
      note: hint,
    })
    const world = mergedByHand('fails-gate').goOn('improve')
    expect(world.loop).toMatchObject({
      standing: { status: 'awaiting_review', verdict: null },
      landing: { approval: null },
    })
    expect(world.all('loop.committed').at(-1)?.message).toBe('Fix failing gate test')
    expect(world.goOn('review').loop).toMatchObject({
      standing: { verdict: 'APPROVED' },
      landing: { landed: { base: 'main' } },
      review: { cycle: 2 },
    })
  })

  test('that is a conflict disappears once the person resolves it: the work is committed, checked, reviewed and merged', () => {
    const world = mergedByHand('conflicts').editByHand()
    const { tree } = world.loop.work.head ?? {}
    world.goOn('review')
    expect(world.loop.work.head?.tree).toBe(`${tree}-by-hand`)
    expect(world.all('loop.approved').map((approved) => approved.tree)).toEqual([tree, `${tree}-by-hand`])
    expect(world.loop).toMatchObject({
      standing: { status: 'completed' },
      landing: { landed: { base: 'main' } },
    })
  })
})

describe('a person’s verdict against work that is being landed', () => {
  test.each(['CHANGES_REQUESTED', 'NEEDS_DISCUSSION', 'REJECTED'] as const)(
    '%s stops the landing',
    (word) => {
      const world = mergedByHand('conflicts').person(verdict(word))
      expect(world.loop).toMatchObject({
        standing: { status: 'blocked', verdict: word },
        landing: { approval: null, outcome: null },
      })
      expect(world.loop.standing.recovery).toContain('umpire retry 7')
      expect(world.loop.standing.recovery).not.toContain('umpire merge 7')
      expect(decideMove(world.loop, { kind: 'merge', why: null }, 'ada').kind).toBe('refused')
      world.goOn('retry', { reviewer: [judges({ verdict: 'REJECTED' })] })
      expect(world.loop).toMatchObject({
        standing: { status: 'blocked', verdict: 'REJECTED' },
        landing: { landed: null },
      })
    },
  )

  test('comes before a requested merge', () => {
    const world = new World().play().person('merge').person(verdict('REJECTED'))
    expect(world.loop).toMatchObject({ standing: { status: 'blocked', verdict: 'REJECTED' }, asked: null })
    expect(world.goOn('retry').all('loop.reviewing')).toHaveLength(2)
  })

  test('can be replaced by an approval, and then the work lands', () => {
    const world = landsAtOnce('waits').person(verdict('REJECTED')).person('approve').goOn('merge')
    expect(world.loop).toMatchObject({
      standing: { verdict: 'APPROVED' },
      landing: { approval: { by: 'person' }, landed: { base: 'main' } },
    })
  })
})

describe('a task that has landed', () => {
  test.each<[string, Move]>([
    ['review', { kind: 'review', why: null }],
    ['improve', { kind: 'improve', note: 'More.', text: null }],
    ['merge', { kind: 'merge', why: null }],
    ['verdict', verdict('CHANGES_REQUESTED')],
    ['verdict', verdict('APPROVED')],
    ['change', { kind: 'change', changes: { title: 'x' } }],
  ])('refuses %s', (_, move) => {
    expect(decideMove(landsAtOnce().loop, move, 'ada')).toEqual({
      kind: 'refused',
      why: 'Task 7 is merged into main.',
      fix: 'Add a new task with umpire add.',
    })
  })

  test('can be deleted, but not retried or cancelled', () => {
    const { loop } = landsAtOnce()
    expect(decideMove(loop, { kind: 'delete' }, 'ada').kind).toBe('allowed')
    expect(decideMove(loop, { kind: 'retry', why: null }, 'ada').kind).toBe('refused')
    expect(decideMove(loop, { kind: 'cancel', why: null }, 'ada').kind).toBe('refused')
  })
})
