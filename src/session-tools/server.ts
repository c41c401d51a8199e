/** The MCP server of a session, whatever it is reached by. */
import { Server, type Tool } from '@modelcontextprotocol/server'
import { mostGateRequests, toolServerName } from '../core/session/tool-request.ts'
import { type SessionTool, sessionTools } from '../verdicts/session-tools.ts'
import { reviewArguments } from '../verdicts/shape/review-schema.ts'
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

/** The tools as they are put before an agent: what each is for, and what it takes. */
const definitions: Record<SessionTool, Pick<Tool, 'description' | 'inputSchema'>> = {
  set_loop_review_result: {
    description:
      'Hands in your review of the work of this task. Call it once, when you have decided. If something is wrong with it, nothing is taken, and the answer says what to mend.',
    inputSchema: { ...reviewArguments, required: ['verdict'] },
  },
  set_review_result: {
    description:
      'Hands in the review of a plan or a spec. A review of the work of a task is handed in by set_loop_review_result.',
    inputSchema: { ...reviewArguments, required: ['verdict'] },
  },
  complete_task: {
    description: 'Says that the whole task is done. Call it once, at the end of your work.',
    inputSchema: { type: 'object', properties: {} },
  },
  fail_task: {
    description:
      'Says that the task can not be done, or not without a person. Your work so far is kept, and a person is asked. Then end your turn.',
    inputSchema: {
      type: 'object',
      properties: {
        reason: {
          type: 'string',
          description: 'Why, and what a person would have to decide or to give you.',
        },
      },
      required: ['reason'],
    },
  },
  report_progress: {
    description: 'Tells the people who follow this task how far you are, in a sentence.',
    inputSchema: {
      type: 'object',
      properties: { message: { type: 'string', description: 'One sentence.' } },
      required: ['message'],
    },
  },
  run_gate: {
    description: `Runs a gate of this task (its tests, its linter, …), or all of them, in a checkout of its own and tells how it went: for a developer on what is in the working directory now, for a reviewer on the tree under review. At most ${mostGateRequests} times in a session.`,
    inputSchema: {
      type: 'object',
      properties: { name: { type: 'string', description: 'Which gate; all of them without it.' } },
    },
  },
}

export function offeredTools(names: string[]): Tool[] {
  return sessionTools.filter((name) => names.includes(name)).map((name) => ({ name, ...definitions[name] }))
}
