/**
 * Gives each loop its own network ports (`worktree.ports`), in the environment of everything that runs for it: agents,
 * gates, setup commands and witnesses, also those that check the merged tree. Processes that run for one loop at the same
 * time share them, for example its developer and the gates that its reviewer asked for.
 *
 * Loops of one repository never share a port, because each range is a database row that only one of them owns. About
 * other repositories and programs, Umpire knows only whether they already listen on a port. Each repository starts its
 * search at a different place, so two repositories rarely want the same ports.
 */
import { UserError } from '../../core/errors.ts'
import { arePortsFree, usablePorts } from '../../lib/process/free-network-ports.ts'
import { sha256 } from '../../lib/text/sha256.ts'
import type { PortRange } from '../../store/port-ranges.ts'
import type { Ports } from '../ports.ts'

export interface Lent {
  /** The ports with the loop's network ports in the environment of everything they start. */
  ports: Ports
  release(): Promise<void>
}

export async function lendNetworkPorts(task: number, ports: Ports): Promise<Lent> {
  const { networkPorts: count, env } = ports.settings
  if (count === null) return { ports, release: async () => {} }
  const range = await takeRange(task, count, ports)
  const settings = { ...ports.settings, env: { ...env, ...portEnvironment(range, env) } }
  return { ports: { ...ports, settings }, release: () => ports.portRanges.release(range) }
}

async function takeRange(task: number, count: number, { portRanges, settings }: Ports): Promise<PortRange> {
  let candidates = candidatesFor(task, count, settings.env.UMPIRE_HOME ?? '')
  for (;;) {
    const range = await portRanges.take(task, count, candidates)
    if (!range) {
      throw new UserError(
        `Task ${task} needs ${count} free network ports in a row (worktree.ports: ${count}), and there are none.`,
        'Lower worktree.ports or parallel in umpire.yaml, or stop programs that listen on many ports.',
      )
    }
    if (range.kept || (await arePortsFree(range.first, range.count))) return range
    const passed = candidates.indexOf(range.first)
    candidates = candidates.slice(passed + 1)
  }
}

/**
 * All ranges in the order in which this task tries them. The order is always the same, so a loop that continues later
 * mostly gets the same ports again.
 */
function candidatesFor(task: number, count: number, home: string): number[] {
  const { from, to } = usablePorts()
  const ranges = Math.floor((to - from + 1) / count)
  const start = Number.parseInt(sha256(home).slice(0, 8), 16) + task
  return Array.from({ length: ranges }, (_, index) => from + ((start + index) % ranges) * count)
}

/** Most servers use `PORT`. If the person has set it, their value is kept. */
function portEnvironment({ first, count }: PortRange, env: Record<string, string>): Record<string, string> {
  const all = Array.from({ length: count }, (_, index) => String(first + index))
  return {
    UMPIRE_PORT: String(first),
    UMPIRE_PORT_COUNT: String(count),
    UMPIRE_PORTS: all.join(' '),
    ...(env.PORT === undefined && { PORT: String(first) }),
  }
}
