import { listed } from '../listed.ts'

/**
 * The things outside a developer's worktree that it must not change, as named values. They are compared before and after
 * its session, so that a change is at least noticed. A person at their own work may have made the change, so Umpire
 * reports it and concludes nothing from it. The exceptions are things that others would act on: hooks and config, which
 * git runs on the person's machine, and the settings of the task's agents, with which a developer could steer its own
 * reviewer. There a person has to look first.
 */
export const areas = ['checkout', 'refs', 'hooks', 'config', 'home', 'agents', 'umpire'] as const
export type Area = (typeof areas)[number]

/** What a developer can still reach from inside the sandbox, because its agent's own folders are writable there. */
export const areasWhenConfined: readonly Area[] = ['agents']

/** By area: the names of things, each with a value that changes when the thing changes. */
export type Surroundings = Record<Area, Record<string, string>>

/** The areas that belong to the repository. */
export type RepositorySurroundings = Pick<Surroundings, 'checkout' | 'refs' | 'hooks' | 'config'>

export interface OutsideChange {
  area: Area
  /** A path or a ref. Empty if only the area is known. */
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
    // A tracked file of the checkout is listed only while it differs from its commit, so a listed file is a changed one.
    const tracked = area === 'checkout' && !(found.get(name) ?? known.get(name))?.startsWith('untracked')
    if (tracked || (known.has(name) && found.has(name))) return [{ area, name, how: 'changed' }]
    return [{ area, name, how: found.has(name) ? 'added' : 'removed' }]
  })
}

/** Whether a person has to look before Umpire does anything more in the repository. */
export function mustBeLookedAt(changes: OutsideChange[]): boolean {
  return changes.some(({ area }) => reasons[area] !== undefined)
}

/** Why a person has to look, in whole sentences. Empty if no one has to. */
export function whyLook(changes: OutsideChange[]): string {
  const found = areas.filter((area) => changes.some((change) => change.area === area))
  return [...new Set(found.flatMap((area) => reasons[area] ?? []))].join(' ')
}

const byGit = 'Git would run it on this machine.'

const reasons: Partial<Record<Area, string>> = {
  hooks: byGit,
  config: byGit,
  agents: 'Later agent sessions, including the reviewer’s, would follow it.',
}

const places: Record<Area, string> = {
  checkout: 'in the main checkout',
  refs: 'in the refs',
  hooks: 'in .git/hooks',
  config: 'in .git',
  home: 'in the home folder',
  agents: 'in the agents’ settings',
  umpire: 'in Umpire’s settings',
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
