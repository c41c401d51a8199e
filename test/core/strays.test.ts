/** What is done about changes outside a developer's worktree: they are told; hooks and config a person looks at first. */
import { describe, expect, test } from 'vitest'
import { decide } from '../../src/core/decide.ts'
import {
  compareSurroundings,
  describeChanges,
  mustBeLookedAt,
  type OutsideChange,
  type Surroundings,
} from '../../src/core/session/surroundings.ts'
import { World } from './world.ts'

const nothing: Surroundings = {
  checkout: {},
  refs: {},
  hooks: {},
  config: {},
  home: {},
  agents: {},
  umpire: {},
}

describe('a developer that strayed', () => {
  test('is told of, and the work goes on', () => {
    const { loop } = new World().play({ developer: [{ does: 'works', strays: 'harmlessly' }] })
    expect(loop).toMatchObject({ standing: { status: 'completed' }, work: { strayed: null } })
    expect(loop.work.strays).toEqual([{ session: '7-1', text: 'evil (new) in the home folder' }])
  })

  test.each(['works', 'times-out'] as const)(
    'into hooks is not even committed (%s), and a retry commits it',
    (does) => {
      const world = new World().play({ developer: [{ does, strays: 'into hooks' }] })
      expect(world.loop).toMatchObject({
        standing: { status: 'failed', reason: 'vcs' },
        turn: { phase: 'commit' },
        review: { cycle: 0 },
      })
      expect(world.loop.standing.detail).toContain(
        'While session 7-1 ran, this was changed: evil (new) in .git/hooks.',
      )
      expect(world.all('loop.committed')).toEqual([])
      world.person('retry')
      expect(world.loop.work.strayed).toBeNull()
      expect(decide(world.claim().loop).do).toBe(does === 'works' ? 'commit' : 'develop')
      expect(world.play().loop).toMatchObject({ standing: { status: 'completed' }, work: { strayed: null } })
      expect(world.loop.work.strays).toHaveLength(1)
    },
  )
})

describe('the comparison', () => {
  test('names what is new, changed and gone, area by area', () => {
    const before = {
      ...nothing,
      checkout: { 'a.ts': 'unstaged 1', 'notes.txt': 'untracked 1', 'b.ts': 'unstaged 5' },
      refs: { main: 'one', old: 'x' },
    }
    const now = {
      ...nothing,
      checkout: { 'a.ts': 'unstaged 2', 'c.ts': 'unstaged 1', 'new.txt': 'untracked 1' },
      refs: { main: 'two' },
      home: { '.bashrc': '1' },
    }
    const changes = compareSurroundings(before, now)
    expect(changes.map(({ area, name, how }) => `${area} ${name} ${how}`)).toEqual([
      'checkout a.ts changed',
      // Put back to how its commit has it: for the person that is a loss.
      'checkout b.ts changed',
      'checkout c.ts changed',
      'checkout new.txt added',
      'checkout notes.txt removed',
      'refs main changed',
      'refs old removed',
      'home .bashrc added',
    ])
    expect(mustBeLookedAt(changes)).toBe(false)
    expect(compareSurroundings(now, now)).toEqual([])
  })

  test('a name that every object has is a name like any other', () => {
    const now = { ...nothing, refs: { constructor: 'one', toString: 'two' } }
    expect(compareSurroundings(nothing, now)).toHaveLength(2)
  })

  test('a person only has to look at changes that git or an agent would act on', () => {
    const at = (area: OutsideChange['area']): OutsideChange[] => [{ area, name: 'x', how: 'changed' }]
    const grave = [at('hooks'), at('config'), at('agents')]
    expect(grave.map(mustBeLookedAt)).toEqual([true, true, true])
    // People change Umpire's settings while it runs; a run goes by those that it began with.
    const told = [at('checkout'), at('refs'), at('home'), at('umpire')]
    expect(told.map(mustBeLookedAt)).toEqual([false, false, false, false])
  })

  test('is told in a line: a few names of each area, and how many more', () => {
    const many = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(
      (name) => ({ area: 'checkout', name, how: 'added' }) as const,
    )
    expect(describeChanges([...many, { area: 'hooks', name: '', how: 'changed' }])).toBe(
      'a (new), b (new), c (new), d (new), e (new) and 2 more in the main checkout; something in .git/hooks',
    )
  })
})
