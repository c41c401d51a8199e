/** The library: what other programs may build on. */
export type { Agent, AgentEvent, AgentRequest, Launch } from './agents/agent.ts'
export type { NewEvent, StoredEvent } from './core/event.ts'
export type { Review, Verdict } from './core/review.ts'
export type { TaskSummary } from './core/summary.ts'
export type { Task } from './core/task.ts'
