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
