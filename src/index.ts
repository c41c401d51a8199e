/** The library: what other programs may build on. */
export type { Agent, AgentEvent, AgentRequest, Launch } from './agents/agent.ts'
export { StoreError, UserError, VcsError } from './core/errors.ts'
export type { EventData, EventType } from './core/event.ts'
export type { Reading, ReportedIssue, Review, Verdict } from './core/review/review.ts'
export type { TaskSummary } from './core/summary.ts'
export type { Task } from './core/task.ts'
export {
  openUmpire,
  type RunOptions,
  type TaskDetails,
  type Umpire,
  type UmpireEvent,
  type UmpireOptions,
} from './library/umpire.ts'
export type { Channel, Evidence } from './verdicts/channel.ts'
