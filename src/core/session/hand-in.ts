import { toolServerName } from './tool-request.ts'

/** What a developer handed in: that the task is done, or why it can't do the task. */
export type DeveloperWord =
  | { kind: 'done' }
  | { kind: 'gave up'; why: string }
  | { kind: 'nothing' }
  | { kind: 'malformed'; why: string }

/** Longer texts are cut off, because a person has to read them. */
const longestWhy = 2_000

/** Only the first hand-in counts. */
export function developerWord(handedIn: string[]): DeveloperWord {
  const [body] = handedIn
  return body === undefined ? { kind: 'nothing' } : parseDeveloperWord(body)
}

export function parseDeveloperWord(body: string): DeveloperWord {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    return { kind: 'malformed', why: 'The input is not JSON.' }
  }
  const said = typeof value === 'object' && value !== null ? value : {}
  if ('verdict' in said || 'passed' in said || 'result' in said)
    return { kind: 'malformed', why: 'This is a developer’s session.' }
  const done = 'complete' in said && said.complete === true
  const gaveUp = 'fail' in said
  if (done && gaveUp) return { kind: 'malformed', why: 'The task can’t be both complete and failed.' }
  if (done) return { kind: 'done' }
  if (!gaveUp) return { kind: 'malformed', why: 'This is a developer’s session.' }
  if (typeof said.fail !== 'string' || said.fail.trim() === '')
    return { kind: 'malformed', why: '"fail" must be a text that says why.' }
  return { kind: 'gave up', why: said.fail.trim().slice(0, longestWhy) }
}

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
