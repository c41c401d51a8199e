/** The MCP server of a session, whatever it is reached by. */
import { Server } from '@modelcontextprotocol/server'
import { toolServerName } from '../core/session/tool-request.ts'
import { offeredTools } from './definitions.ts'
import type { Particulars } from './particulars.ts'

/**
 * The plain server and not the one that checks arguments by their schemas: every argument is judged where `umpire submit`
 * judges it, in words that an agent can act on, and a tool that is not offered still answers.
 */
export function createServer(particulars: Particulars): Server {
  // Not before the tools were listed, because until then the agent waits; and not left to the first call, because by then
  // the files of this version may have been replaced by those of another.
  const load = () => import('./call-tool.ts')
  const server = new Server({ name: toolServerName, version: '1' }, { capabilities: { tools: {} } })
  server.setRequestHandler('tools/list', () => {
    setTimeout(() => load().catch(() => {}), 0)
    return { tools: offeredTools(particulars.tools) }
  })
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const { callTool } = await load()
    const { kind, text } = await callTool(params.name, params.arguments ?? {}, particulars, mcpReq.signal)
    return { content: [{ type: 'text', text }], isError: kind === 'refused' }
  })
  return server
}
