/**
 * Network ports of a loop's own (`worktree.ports`), in the environment of everything that runs for it: agents, gates,
 * set-ups, witnesses, also those that check the merged tree. What runs for one loop at the same time, as its developer and
 * the gates that its reviewer asked for, shares them.
 *
 * Loops of one repository never have a port in common, because each range is a row that one of them has. Of other
 * repositories and programs nothing is known but whether somebody listens already; beyond that, each repository begins
 * to look at a place of its own, so that two would have to be unlucky to want the same ports.
 */
import { UserError } from '../../core/errors.ts'
import { arePortsFree, usablePorts } from '../../lib/process/free-network-ports.ts'
import { sha256 } from '../../lib/text/sha256.ts'
import type { PortRange } from '../../store/port-ranges.ts'
import type { Ports } from '../ports.ts'

export interface Lent {
  /** With the network ports in the environment of what is started by them. */
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
        `There are no ${count} free network ports in a row for task ${task} (worktree.ports: ${count}).`,
        'Lower worktree.ports or parallel in umpire.yaml, or end what listens on so many ports.',
      )
    }
    if (range.kept || (await arePortsFree(range.first, range.count))) return range
    const passed = candidates.indexOf(range.first)
    candidates = candidates.slice(passed + 1)
  }
}

/**
 * All ranges in the order in which this task tries them. It begins at the same one each time, so a loop that is taken up
 * again mostly has the ports that it had.
 */
function candidatesFor(task: number, count: number, home: string): number[] {
  const { from, to } = usablePorts()
  const ranges = Math.floor((to - from + 1) / count)
  const start = Number.parseInt(sha256(home).slice(0, 8), 16) + task
  return Array.from({ length: ranges }, (_, index) => from + ((start + index) % ranges) * count)
}

/** `PORT` is what most servers go by; a person who set it meant something by it. */
function portEnvironment({ first, count }: PortRange, env: Record<string, string>): Record<string, string> {
  const all = Array.from({ length: count }, (_, index) => String(first + index))
  return {
    UMPIRE_PORT: String(first),
    UMPIRE_PORT_COUNT: String(count),
    UMPIRE_PORTS: all.join(' '),
    ...(env.PORT === undefined && { PORT: String(first) }),
  }
}
