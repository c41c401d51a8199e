/** The MCP server of a session, for either transport. */
import { Server, type Tool } from '@modelcontextprotocol/server'
import { mostGateRequests } from '../core/policy/fixed-limits.ts'
import { toolServerName } from '../core/session/tool-request.ts'
import { reviewArguments } from '../verdicts/shape/review-schema.ts'
import { type SessionTool, sessionTools } from '../verdicts/tool-names.ts'
import type { SessionBrief } from './session-brief.ts'

/**
 * Uses the plain server, not the one that validates arguments by their schemas. `umpire submit`'s code checks every
 * argument, with messages that an agent can act on, and a tool that is not offered still gets an answer.
 */
export function createServer(brief: SessionBrief): Server {
  // Loaded after the tools were listed, because until then the agent waits. Not left to the first call, because by then
  // an update may have replaced the files of this version.
  const load = () => import('./call-tool.ts')
  const server = new Server({ name: toolServerName, version: '1' }, { capabilities: { tools: {} } })
  server.setRequestHandler('tools/list', () => {
    setTimeout(() => load().catch(() => {}), 0)
    return { tools: offeredTools(brief.tools) }
  })
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const { callTool } = await load()
    const { kind, text } = await callTool(params.name, params.arguments ?? {}, brief, mcpReq.signal)
    return { content: [{ type: 'text', text }], isError: kind === 'refused' }
  })
  return server
}

/** The tools as the agent sees them: what each is for, and its arguments. */
const definitions: Record<SessionTool, Pick<Tool, 'description' | 'inputSchema'>> = {
  set_loop_review_result: {
    description:
      'Submits your review of this task’s work. Call it once, when you have decided. If something is wrong with it, nothing is accepted, and the answer says what to fix.',
    inputSchema: { ...reviewArguments, required: ['verdict'] },
  },
  set_review_result: {
    description:
      'Submits the review of a plan or a spec. Submit a review of a task’s work with set_loop_review_result.',
    inputSchema: { ...reviewArguments, required: ['verdict'] },
  },
  complete_task: {
    description: 'Reports that the whole task is done. Call it once, at the end of your work.',
    inputSchema: { type: 'object', properties: {} },
  },
  fail_task: {
    description:
      'Reports that the task can’t be done, or not without a person. Your work so far is kept, and a person is asked. Then end your turn.',
    inputSchema: {
      type: 'object',
      properties: {
        reason: {
          type: 'string',
          description: 'Why, and what a person would have to decide or give you.',
        },
      },
      required: ['reason'],
    },
  },
  report_progress: {
    description: 'Tells the people who follow this task how far you are, in one sentence.',
    inputSchema: {
      type: 'object',
      properties: { message: { type: 'string', description: 'One sentence.' } },
      required: ['message'],
    },
  },
  run_gate: {
    description: `Runs a gate of this task (its tests, its linter, …), or all of them, in a separate checkout, and reports the result: for a developer on the current files of the working directory, for a reviewer on the tree under review. At most ${mostGateRequests} times in a session.`,
    inputSchema: {
      type: 'object',
      properties: { name: { type: 'string', description: 'Which gate to run. Leave it out to run all.' } },
    },
  },
}

export function offeredTools(names: string[]): Tool[] {
  return sessionTools.filter((name) => names.includes(name)).map((name) => ({ name, ...definitions[name] }))
}
