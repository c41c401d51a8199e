/** Shows what `umpire work` would do, in order, and which tasks wait for others. It writes nothing. */
import type { Engine } from '../../app/engine.ts'
import { enumerated } from '../../core/listed.ts'
import { rolesOf } from '../../core/policy/roles-in-turn.ts'
import { describeParked } from '../../core/schedule/out-of-budget.ts'
import { type Schedule, schedule } from '../../core/schedule/schedule.ts'
import type { Role } from '../../core/session/session.ts'
import { isUnderWay } from '../../core/standing.ts'
import { type Asked, isAsked, type TaskSummary } from '../../core/summary.ts'
import { oneLine } from '../../lib/text/printable.ts'
import type { Store } from '../../store/store.ts'
import { statusLine } from '../../view/status-line.ts'
import { exitCodes } from '../exit-codes.ts'
import type { Invocation } from '../invocation.ts'
import { outputPaint, outputWidth, print, printJson } from '../screen/output.ts'
import { findLoop } from '../with-store.ts'

export interface DryRunFlags {
  plain?: boolean
  json?: boolean
}

export async function dryRun(
  asked: Asked,
  engine: Engine,
  store: Store,
  flags: DryRunFlags,
  invocation: Invocation,
): Promise<number> {
  const { only } = asked
  const tasks = asked.tasks.filter((task) => isUnderWay(task) && isAsked(only, task.id))
  await engine.check(asked)
  const plan = schedule(await store.archive.standings())
  const planned: Planned[] = []
  for (const summary of inOrder(tasks, plan)) planned.push(await lookAt(summary, plan, engine, store))
  if (flags.json) {
    printJson({ order: planned.map(asJson), waits: waitsOf(asked, planned) }, invocation)
    return exitCodes.done
  }
  const paint = outputPaint(invocation, flags)
  for (const { summary, cast, maxCycles, gates, wait } of planned) {
    const people = [...cast].map(([role, name]) => `${role} ${name === null ? 'none' : oneLine(name)}`)
    const named = gates.map((name) => oneLine(name)).join(', ') || 'none'
    print(statusLine(summary, paint, outputWidth(invocation)), invocation)
    print(`    ${people.join(', ')}, at most ${maxCycles} reviews, gates: ${named}`, invocation)
    if (wait) print(`    ${wait.why}`, invocation)
  }
  const parked = await engine.parked(asked)
  if (parked.length > 0) print(describeParked(parked, engine.ports.settings.budget), invocation)
  else if (tasks.length === 0) print('Nothing to do.', invocation)
  return exitCodes.done
}

interface Planned {
  summary: TaskSummary
  /** The agent for each role; null if the task does not use the role. */
  cast: Map<Role, string | null>
  maxCycles: number
  gates: string[]
  wait: { for: number[]; why: string } | null
}

async function lookAt(
  summary: TaskSummary,
  plan: Schedule,
  { ports }: Engine,
  store: Store,
): Promise<Planned> {
  const { settings } = ports
  const loop = await findLoop(summary.id, store)
  const policy = settings.policyFor(loop.task)
  const roles = rolesOf(loop, policy)
  const nameOf = (role: Role) => (roles.includes(role) ? settings.cast(role, loop.task).agent.name : null)
  const cast = new Map<Role, string | null>([
    ['developer', nameOf('developer')],
    ['reviewer', nameOf('reviewer')],
  ])
  if (settings.hasParser && roles.includes('reviewer'))
    cast.set('parser', settings.cast('parser', loop.task).agent.name)
  const gates = policy.gates.map(({ name }) => name)
  return { summary, cast, maxCycles: policy.maxCycles, gates, wait: waitOf(summary.id, plan) }
}

function asJson({ summary, cast, maxCycles, gates }: Planned): object {
  const { id, title, type, status, group, dependsOn, of } = summary
  return {
    id,
    title,
    type,
    status,
    group,
    after: dependsOn,
    of,
    agents: Object.fromEntries(cast),
    maxCycles,
    gates,
  }
}

/** The planned tasks that wait for others, and the tasks that the run would leave out because something holds them. */
function waitsOf({ only, tasks }: Asked, planned: Planned[]): object[] {
  const within = planned.flatMap(({ summary: { id }, wait }) => (wait ? [{ id, ...wait }] : []))
  const held = tasks.filter(
    ({ id, status, reason, heldBy }) =>
      isAsked(only, id) && status === 'blocked' && (reason === 'budget' || heldBy?.length > 0),
  )
  return [...within, ...held.map(({ id, heldBy, detail }) => ({ id, for: heldBy ?? [], why: detail }))]
}

/** Sorts tasks that can start before tasks that wait, then by group. */
function inOrder(tasks: TaskSummary[], { ready }: Schedule): TaskSummary[] {
  const rankOf = ({ id }: TaskSummary) => (ready.includes(id) ? ready.indexOf(id) : ready.length)
  const groupOf = ({ group }: TaskSummary) => group ?? Number.MAX_SAFE_INTEGER
  return tasks.toSorted(
    (one, other) => rankOf(one) - rankOf(other) || groupOf(one) - groupOf(other) || one.id - other.id,
  )
}

function waitOf(id: number, { waits, hold }: Schedule): Planned['wait'] {
  const others = waits.find(({ task }) => task === id)?.for
  if (others) return { for: others, why: `waits for ${enumerated(others)}` }
  const held = hold.find(({ task }) => task === id)
  return held ? { for: held.by, why: `can't start: ${held.detail}` } : null
}
