/** The tools of a session's own MCP server, by the names that agents know. */
export const sessionTools = [
  'set_loop_review_result',
  'set_review_result',
  'complete_task',
  'fail_task',
  'report_progress',
  'run_gate',
] as const
export type SessionTool = (typeof sessionTools)[number]

const reviewTools: readonly SessionTool[] = ['set_loop_review_result', 'set_review_result']
const developerTools: readonly SessionTool[] = ['complete_task', 'fail_task']

/** The tools that a role is offered. Every tool answers when called, but a tool that could only refuse is not offered. */
export function toolsFor(role: string, reviews: 'taken' | 'not taken'): SessionTool[] {
  return sessionTools.filter((tool) => {
    if (reviewTools.includes(tool)) return role === 'reviewer' && reviews === 'taken'
    if (developerTools.includes(tool)) return role === 'developer'
    return role === 'reviewer' || role === 'developer'
  })
}
