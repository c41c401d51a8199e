/** Lines that the real agent CLIs printed, cut down to what matters. They are in test/fixtures/agent-lines. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Agent, AgentEvent, AgentRequest } from '../../src/agents/agent.ts'

const folder = join(import.meta.dirname, '../fixtures/agent-lines')

export function recordedLines(cli: string, name: string): string[] {
  return readFileSync(join(folder, cli, `${name}.jsonl`), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
}

export function recordedEvents(agent: Agent, name: string): AgentEvent[] {
  return recordedLines(agent.name, name).flatMap((line) => agent.read(line))
}

type EventOf<Type extends AgentEvent['type']> = Extract<AgentEvent, { type: Type }>

export function eventsOf<Type extends AgentEvent['type']>(type: Type, events: AgentEvent[]): EventOf<Type>[] {
  return events.filter((event): event is EventOf<Type> => event.type === type)
}

/** The failure that ended a run. A failure from which the agent recovered does not count. */
export function lastFailure(events: AgentEvent[]): EventOf<'failure'> | null {
  const last = events.findLast((event) => event.type === 'failure' || event.type === 'recovered')
  return last?.type === 'failure' ? last : null
}

export const anyRequest: AgentRequest = {
  role: 'developer',
  model: null,
  prompt: 'Do $(it)\n--now',
  promptFile: '/attempts/1-1/prompt',
  cwd: '/work tree',
  args: [],
  env: {},
  folder: '/attempts/1-1/files',
  resume: null,
  tools: null,
  schema: null,
}

export const anyTools = {
  name: 'umpire',
  command: '/usr/bin/node',
  args: ['/opt/umpire/tools.js', '/attempts/1-1/files'],
  tools: ['set_loop_review_result', 'run_gate'],
}
