/**
 * What an agent is answered when it asks for permission. Pure. A developer gets what it asks for, once: an answer for
 * always may end in a settings file. A reader gets the session's tools and files of its own, and nothing else.
 */
import { isAbsolute, relative, resolve, sep } from 'node:path'
import { type JsonRecord, recordIn, recordsIn, textIn } from '../agents/json-line.ts'
import type { AcpLaunch } from './launch.ts'

export interface Answer {
  verdict: 'allowed' | 'refused'
  /** What was asked for, in the agent's words. */
  what: string
  response: { outcome: { outcome: 'cancelled' } | { outcome: 'selected'; optionId: string } }
}

export function answerPermission(asked: JsonRecord, launch: AcpLaunch): Answer {
  const call = recordIn(asked.toolCall)
  const options = recordsIn(asked.options)
  const find = (...kinds: string[]) =>
    kinds.map((kind) => options.find((option) => option.kind === kind)).find((option) => option !== undefined)
  // Codex calls every tool an execution, and says here which are none.
  const isToolApproval = recordIn(asked._meta).is_mcp_tool_approval === true
  const isAllowed = launch.access === 'write' || isHarmless(call, isToolApproval, launch)
  const option = isAllowed ? find('allow_once', 'allow_always') : find('reject_once', 'reject_always')
  const optionId = textIn(option?.optionId)
  return {
    verdict: isAllowed && option ? 'allowed' : 'refused',
    what: [textIn(call.kind), textIn(call.title) || textIn(call.name)].filter(Boolean).join(': '),
    // An agent that offers no way to say no is told that the question is withdrawn.
    response: option ? { outcome: { outcome: 'selected', optionId } } : { outcome: { outcome: 'cancelled' } },
  }
}

function isHarmless(
  call: JsonRecord,
  isToolApproval: boolean,
  { cwd, readable, server }: AcpLaunch,
): boolean {
  switch (isToolApproval ? 'other' : call.kind) {
    case 'read':
    case 'search': {
      // Agents ask for what lies outside of their tree; what is asked for without a place could be anywhere.
      const paths = recordsIn(call.locations).flatMap(({ path }) => textIn(path) || [])
      return (
        paths.length > 0 &&
        paths.every((path) => readable.some((folder) => isBelow(resolve(cwd, path), folder)))
      )
    }
    case undefined:
    case null:
    case 'other':
      return server !== null && isSessionTool(call, server)
    default:
      return false
  }
}

function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

/**
 * Agents write the tool of a server each in their own way. Only what is such a name as a whole counts: in a title
 * there can be anything, also the name of another tool.
 */
function isSessionTool(call: JsonRecord, { name: server, tools }: NonNullable<AcpLaunch['server']>): boolean {
  const spelt = tools.flatMap((tool) => [
    `mcp__${server}__${tool}`,
    `mcp_${server}_${tool}`,
    `mcp.${server}.${tool}`,
    `${server}_${tool}`,
    `${server}.${tool}`,
    `${server}/${tool}`,
    `${tool} (${server} MCP Server)`,
  ])
  return spelt.includes(textIn(call.name) || textIn(call.title))
}
