/**
 * Finds what a developer changed outside its worktree, where no sandbox prevents that. The state before the session is
 * recorded with it: as short hashes in the journal, which no agent can rewrite, and in full in the attempt's folder.
 */
import type { Steering } from '../../agents/agent.ts'
import { NoAgentError } from '../../core/errors.ts'
import type { NewEvent } from '../../core/event.ts'
import type { Role, RunningSession } from '../../core/session/session.ts'
import {
  type Area,
  areas,
  areasWhenConfined,
  compareSurroundings,
  mustBeLookedAt,
  type OutsideChange,
  type Surroundings,
} from '../../core/session/surroundings.ts'
import type { Task } from '../../core/task.ts'
import { sha256 } from '../../lib/text/sha256.ts'
import type { Ports } from '../ports.ts'

/** The name of the record among the files of the session. */
export const surroundingsFile = 'surroundings.json'

/** The most changes to name. The others are only counted. */
const mostTold = 50

/** The current state around a developer of this task, without areas that a confined developer can't write. */
export async function lookAround(task: Task, confined: boolean, ports: Ports): Promise<Surroundings> {
  const agents = ports.outlineFiles(steering(task, ports))
  if (confined) return { ...nothing, agents }
  const umpire = ports.outlineFiles({ paths: ports.settings.files, except: [] })
  return { ...(await ports.vcs.surroundings()), home: ports.outlineHome(), agents, umpire }
}

const nothing: Surroundings = {
  checkout: {},
  refs: {},
  hooks: {},
  config: {},
  home: {},
  agents: {},
  umpire: {},
}

const roles: Role[] = ['developer', 'reviewer', 'parser', 'resolver']

/** Files that control later sessions of the task's agents, in any role. A developer must not manipulate its reviewer. */
function steering(task: Task, { settings }: Ports): Steering {
  const { seats } = settings.policyFor(task)
  const further = Array.from({ length: seats - 1 }, (_, index) => ({
    role: 'reviewer' as const,
    seat: index + 2,
  }))
  const found = [...roles.map((role) => ({ role, seat: 1 })), ...further].flatMap(({ role, seat }) => {
    try {
      const { agent, env } = settings.cast(role, task, seat)
      return agent.steering?.({ ...settings.env, ...env }) ?? []
    } catch (error) {
      // A role without an agent can't be manipulated.
      if (error instanceof NoAgentError) return []
      throw error
    }
  })
  return {
    paths: [...new Set(found.flatMap(({ paths }) => paths))],
    except: found.flatMap(({ except }) => except),
  }
}

type Digest = Partial<Record<Area, string>>

export function digest(surroundings: Surroundings, confined: boolean): Digest {
  const looked = confined ? areasWhenConfined : areas
  return Object.fromEntries(looked.map((area) => [area, hash(surroundings[area])]))
}

function hash(values: Record<string, string>): string {
  return sha256(JSON.stringify(Object.entries(values).sort())).slice(0, 16)
}

/** Returns the event for the changes, which is recorded with the session's end; none if nothing changed. */
export async function noticeStrays(session: RunningSession, task: Task, ports: Ports): Promise<NewEvent[]> {
  const { session: id, cycle, surroundings: known, confined = false } = session
  if (!known) return []
  const now = await lookAround(task, confined, ports)
  if (areas.every((area) => isAsKnown(area, known, now))) return []
  const before = parseSurroundings(await ports.attempts.readFile(id, surroundingsFile))
  const changes = await withoutLandings(changesSince(before, known, now), now, ports)
  if (changes.length === 0) return []
  // Dangerous changes are always named, so that many others can't hide them.
  const grave = changes.filter((change) => mustBeLookedAt([change]))
  const first = new Set([...grave, ...changes].slice(0, mostTold))
  const told = changes.filter((change) => first.has(change))
  const more = changes.length - told.length
  const data = { session: id, cycle, changes: told, more, stops: mustBeLookedAt(changes) }
  return [{ type: 'session.strayed', data }]
}

/** An area that was not recorded before can't be compared. */
function isAsKnown(area: Area, known: Digest, now: Surroundings): boolean {
  return known[area] === undefined || known[area] === hash(now[area])
}

/** If the record of an area is gone, or does not match the journal, the whole area is named. */
function changesSince(before: Surroundings | null, known: Digest, now: Surroundings): OutsideChange[] {
  const named = before ? compareSurroundings(before, now) : []
  return areas
    .filter((area) => !isAsKnown(area, known, now))
    .flatMap((area) =>
      before && isAsKnown(area, known, before)
        ? named.filter((change) => change.area === area)
        : [{ area, name: '', how: 'changed' as const }],
    )
}

/** The agent could write this file, so it may contain anything. */
function parseSurroundings(text: string | null): Surroundings | null {
  try {
    const value: unknown = JSON.parse(text ?? '')
    if (typeof value !== 'object' || value === null) return null
    const found = new Map<string, unknown>(Object.entries(value))
    const area = (name: Area) => {
      const entries = Object.entries(found.get(name) ?? {})
      return Object.fromEntries(entries.map(([key, each]) => [key, String(each)]))
    }
    return {
      checkout: area('checkout'),
      refs: area('refs'),
      hooks: area('hooks'),
      config: area('config'),
      home: area('home'),
      agents: area('agents'),
      umpire: area('umpire'),
    }
  } catch {
    return null
  }
}

/** A branch that is now at a commit that Umpire merged meanwhile was moved by Umpire, not by the agent. */
async function withoutLandings(
  changes: OutsideChange[],
  now: Surroundings,
  { journal }: Ports,
): Promise<OutsideChange[]> {
  if (!changes.some(({ area }) => area === 'refs')) return changes
  const landings = await journal.list({ types: ['loop.landed'] })
  const isLanding = ({ area, name }: OutsideChange) =>
    area === 'refs' &&
    landings.some(
      ({ type, data }) => type === 'loop.landed' && data.base === name && data.commit === now.refs[name],
    )
  return changes.filter((change) => !isLanding(change))
}
