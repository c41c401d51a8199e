import { loadConfig } from '../config/load.ts'
import type { Repository } from './repository.ts'

/** The agents that a task can name. */
export async function agentNames({ root, env }: Repository): Promise<string[]> {
  return Object.keys((await loadConfig({ root, env })).config.agents)
}
