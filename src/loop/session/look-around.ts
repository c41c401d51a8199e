/**
 * What a developer changed outside its worktree, as far as no sandbox keeps it from that. How it was there before is
 * written down with the session: by short hashes in the journal, which no agent rewrites, and in full in the attempt's
 * folder.
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

/** Among the files of the session. */
export const surroundingsFile = 'surroundings.json'

/** More are counted and not named. */
const mostTold = 50

/** How it is now around a developer of this task; of what a confined one can't write nothing. */
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

/** What later sessions of the task's agents go by, of whichever role: a developer must not arm its reviewer. */
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
      // A role that nobody has is none that could be steered.
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

/** Told beside the session's end; nothing where nothing was changed. */
export async function noticeStrays(session: RunningSession, task: Task, ports: Ports): Promise<NewEvent[]> {
  const { session: id, cycle, surroundings: known, confined = false } = session
  if (!known) return []
  const now = await lookAround(task, confined, ports)
  if (areas.every((area) => isAsKnown(area, known, now))) return []
  const before = parseSurroundings(await ports.attempts.readFile(id, surroundingsFile))
  const changes = await withoutLandings(changesSince(before, known, now), now, ports)
  if (changes.length === 0) return []
  // What has to be looked at is told in any case, lest it be hidden behind a crowd.
  const grave = changes.filter((change) => mustBeLookedAt([change]))
  const first = new Set([...grave, ...changes].slice(0, mostTold))
  const told = changes.filter((change) => first.has(change))
  const more = changes.length - told.length
  const data = { session: id, cycle, changes: told, more, stops: mustBeLookedAt(changes) }
  return [{ type: 'session.strayed', data }]
}

/** Of an area that was not looked at nothing is known. */
function isAsKnown(area: Area, known: Digest, now: Surroundings): boolean {
  return known[area] === undefined || known[area] === hash(now[area])
}

/** An area whose record is gone, or is not what the journal knows, is named as a whole. */
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

/** The agent could write there, so anything may be in it. */
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

/** A branch that has moved to what Umpire itself merged there meanwhile was moved by nobody else. */
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
