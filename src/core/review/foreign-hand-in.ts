import { toolServerName } from '../session/tool-request.ts'

/** How agents name the tools of Umpire's server. An agent that uses no such name may not list its tool calls at all. */
const ofOurServer = new RegExp(
  `^(?:mcp__${toolServerName}__|mcp_${toolServerName}_|${toolServerName}[._])(\\w+)$`,
)

const handsInNothing = new Set([
  ...['run_gate', 'report_progress'],
  ...['read', 'glob', 'grep', 'list', 'ls', 'read_file', 'read_many_files', 'list_directory', 'grep_search'],
])

/**
 * A program that runs while a reviewer works, most likely a gate, may find the reviewer's token and hand in a review in
 * its name. If the agent's output lists its tool calls, Umpire can notice that: there is a review, but none of those
 * calls could have handed it in. `called`: the names of the tools that the agent called, or null if they are not known.
 */
export function isForeignHandIn(handedIn: number, called: string[] | null): boolean {
  if (handedIn === 0 || called === null) return false
  const ours = called.map((name) => ofOurServer.exec(name)?.[1])
  // An unknown tool may be a shell under another name.
  const isHarmless = (name: string, index: number) => handsInNothing.has(ours[index] ?? name.toLowerCase())
  return ours.some((name) => name !== undefined) && called.every(isHarmless)
}
