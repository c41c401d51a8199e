/** Changes outside a developer's worktree: Umpire reports them. Hooks and config need a person first. */
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

describe('a developer that changed files outside its worktree', () => {
  test('is reported, and the work continues', () => {
    const { loop } = new World().play({ developer: [{ does: 'works', strays: 'harmlessly' }] })
    expect(loop).toMatchObject({ standing: { status: 'completed' }, work: { strayed: null } })
    expect(loop.work.strays).toEqual([{ session: '7-1', text: 'evil (new) in the home folder' }])
  })

  test.each(['works', 'times-out'] as const)(
    'and touched git hooks gets no commit (%s) until a retry',
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
  test('lists new, changed and removed names, area by area', () => {
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
      // The agent reverted the file to its committed state, so the person lost changes.
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

  test('treats names such as constructor like any other name', () => {
    const now = { ...nothing, refs: { constructor: 'one', toString: 'two' } }
    expect(compareSurroundings(nothing, now)).toHaveLength(2)
  })

  test('needs a person only for changes that git or an agent would act on', () => {
    const at = (area: OutsideChange['area']): OutsideChange[] => [{ area, name: 'x', how: 'changed' }]
    const grave = [at('hooks'), at('config'), at('agents')]
    expect(grave.map(mustBeLookedAt)).toEqual([true, true, true])
    // People change Umpire's settings while it runs. A run uses the settings that it began with.
    const told = [at('checkout'), at('refs'), at('home'), at('umpire')]
    expect(told.map(mustBeLookedAt)).toEqual([false, false, false, false])
  })

  test('is described in one line: a few names of each area, and how many more', () => {
    const many = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(
      (name) => ({ area: 'checkout', name, how: 'added' }) as const,
    )
    expect(describeChanges([...many, { area: 'hooks', name: '', how: 'changed' }])).toBe(
      'a (new), b (new), c (new), d (new), e (new) and 2 more in the main checkout; something in .git/hooks',
    )
  })
})
