import { builtInAgents } from '../../agents/built-in.ts'
import { readConfig } from '../read-config.ts'
import type { Repository } from '../repository.ts'

/** The agents that a task can name. */
export async function agentNames(repository: Repository): Promise<string[]> {
  const { config } = await readConfig(repository)
  return [...new Set([...Object.keys(config.agents), ...builtInAgents.map((agent) => agent.name)])]
}
