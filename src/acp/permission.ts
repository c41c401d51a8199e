/**
 * Answers an agent's request for permission. Pure. A developer gets what it asks for, but only once: a permanent answer
 * could end up in a settings file. A reader gets the session's tools and its own files, and nothing else.
 */
import { isAbsolute, relative, resolve, sep } from 'node:path'
import { type JsonRecord, recordIn, recordsIn, textIn } from '../agents/json-line.ts'
import type { AcpLaunch } from './client-protocol.ts'

export interface Answer {
  verdict: 'allowed' | 'refused'
  /** The request, in the agent's words. */
  what: string
  response: { outcome: { outcome: 'cancelled' } | { outcome: 'selected'; optionId: string } }
}

export function answerPermission(asked: JsonRecord, launch: AcpLaunch): Answer {
  const call = recordIn(asked.toolCall)
  const options = recordsIn(asked.options)
  const find = (...kinds: string[]) =>
    kinds.map((kind) => options.find((option) => option.kind === kind)).find((option) => option !== undefined)
  // Codex calls every tool an execution, and marks MCP tools here.
  const isToolApproval = recordIn(asked._meta).is_mcp_tool_approval === true
  const isAllowed = launch.access === 'write' || isHarmless(call, isToolApproval, launch)
  const option = isAllowed ? find('allow_once', 'allow_always') : find('reject_once', 'reject_always')
  const optionId = textIn(option?.optionId)
  return {
    verdict: isAllowed && option ? 'allowed' : 'refused',
    what: [textIn(call.kind), textIn(call.title) || textIn(call.name)].filter(Boolean).join(': '),
    // If an agent offers no way to say no, Umpire cancels the question.
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
      // Agents ask about files outside their tree. A request without a path could mean any file.
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
 * Each agent writes an MCP tool's name in its own way. The whole text must be such a name: a title can contain
 * anything, including the name of another tool.
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
