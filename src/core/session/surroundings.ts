import { listed } from '../listed.ts'

/**
 * What lies around a developer's worktree and is none of its business, as named values: looked at before and after its
 * session, so that a change is at least noticed. Somebody else may have made it meanwhile, a person at their own work
 * most of all; so it is told, and nothing is concluded from it. The exception is what others would act on: hooks and
 * config, which git runs on the person's machine; the settings of the task's agents, by which a developer would steer
 * its own reviewer; and Umpire's own settings. There a person looks first.
 */
export const areas = ['checkout', 'refs', 'hooks', 'config', 'home', 'agents', 'umpire'] as const
export type Area = (typeof areas)[number]

/** What a developer in the sandbox can reach all the same, because its agent's own folders are writable there. */
export const areasWhenConfined: readonly Area[] = ['agents']

/** By area: names of things, and a value that differs when the thing does. */
export type Surroundings = Record<Area, Record<string, string>>

/** Those that belong to the repository. */
export type RepositorySurroundings = Pick<Surroundings, 'checkout' | 'refs' | 'hooks' | 'config'>

export interface OutsideChange {
  area: Area
  /** A path or a ref; empty where only the area is known. */
  name: string
  how: 'added' | 'changed' | 'removed'
}

export function compareSurroundings(before: Surroundings, now: Surroundings): OutsideChange[] {
  return areas.flatMap((area) => compareArea(area, before[area], now[area]))
}

function compareArea(
  area: Area,
  before: Record<string, string>,
  now: Record<string, string>,
): OutsideChange[] {
  const known = new Map(Object.entries(before))
  const found = new Map(Object.entries(now))
  const names = [...new Set([...known.keys(), ...found.keys()])].sort()
  return names.flatMap((name): OutsideChange[] => {
    if (known.get(name) === found.get(name)) return []
    // A tracked file of the checkout is listed only while it differs from its commit: to be listed is to be changed.
    const tracked = area === 'checkout' && !(found.get(name) ?? known.get(name))?.startsWith('untracked')
    if (tracked || (known.has(name) && found.has(name))) return [{ area, name, how: 'changed' }]
    return [{ area, name, how: found.has(name) ? 'added' : 'removed' }]
  })
}

/** Whether a person has to look before anything more is done in the repository. */
export function mustBeLookedAt(changes: OutsideChange[]): boolean {
  return changes.some(({ area }) => reasons[area] !== undefined)
}

/** Why, in whole sentences; nothing where nobody has to look. */
export function whyLook(changes: OutsideChange[]): string {
  const found = areas.filter((area) => changes.some((change) => change.area === area))
  return [...new Set(found.flatMap((area) => reasons[area] ?? []))].join(' ')
}

const byGit = 'Git would run that on this machine.'

const reasons: Partial<Record<Area, string>> = {
  hooks: byGit,
  config: byGit,
  agents: 'Later agent sessions, including the reviewer’s, would obey that.',
}

const places: Record<Area, string> = {
  checkout: 'in the main checkout',
  refs: 'among the refs',
  hooks: 'in .git/hooks',
  config: 'in .git',
  home: 'in the home folder',
  agents: 'among the settings of the agents',
  umpire: 'among the settings of Umpire',
}

const marks = { added: ' (new)', changed: '', removed: ' (gone)' }

const shownPerArea = 5

/** `README.md, evil.txt (new) in the main checkout; .bashrc in the home folder` */
export function describeChanges(changes: OutsideChange[]): string {
  const parts = areas.flatMap((area) => {
    const here = changes.filter((change) => change.area === area)
    if (here.length === 0) return []
    const named = here.filter(({ name }) => name !== '').map(({ name, how }) => `${name}${marks[how]}`)
    return [`${listed(named, shownPerArea) || 'something'} ${places[area]}`]
  })
  return parts.join('; ')
}
