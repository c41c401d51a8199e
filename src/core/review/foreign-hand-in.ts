/**
 * What runs while a reviewer works, a gate above all, may find its token and hand in a review in its name. Where the
 * agent's lines tell what it called, that can be seen: the review is there, and nothing that it called could have handed
 * it in.
 */
import { toolServerName } from '../session/tool-request.ts'

/** How agents name the tools of our server. Those that name none of them so may tell nothing of them at all. */
const ofOurServer = new RegExp(
  `^(?:mcp__${toolServerName}__|mcp_${toolServerName}_|${toolServerName}[._])(\\w+)$`,
)

const handsInNothing = new Set([
  ...['run_gate', 'report_progress'],
  ...['read', 'glob', 'grep', 'list', 'ls', 'read_file', 'read_many_files', 'list_directory', 'grep_search'],
])

/** `called`: the tools that the agent called, by the names that it tells; null when that is not known. */
export function isForeignHandIn(handedIn: number, called: string[] | null): boolean {
  if (handedIn === 0 || called === null) return false
  const ours = called.map((name) => ofOurServer.exec(name)?.[1])
  // A tool that is not known may be a shell by another name.
  const isHarmless = (name: string, index: number) => handsInNothing.has(ours[index] ?? name.toLowerCase())
  return ours.some((name) => name !== undefined) && called.every(isHarmless)
}
