/** Reads the configuration, including the built-in agents, which need no definition. */
import { builtInAgents } from '../agents/built-in.ts'
import type { Template } from '../config/config.ts'
import { type LoadedConfig, loadConfig } from '../config/load-config.ts'
import { defaultMinScore } from '../config/resolve-config.ts'
import { UserError } from '../core/errors.ts'
import { isSilent } from '../verdicts/channels.ts'
import type { Brought } from './agents/cast-roles.ts'
import { openRepository, type Repository } from './repository.ts'

/** What a program that uses the library gives in addition to the configuration files. */
export interface Given {
  /** Settings with the keys of `umpire.yaml`. They override the files. */
  given?: object
  brought?: Brought
}

/** Throws a UserError that names every problem of every file. */
export async function readConfig(
  { root, env }: Pick<Repository, 'root' | 'env'>,
  { given, brought }: Given = {},
): Promise<LoadedConfig> {
  const named = [...builtInAgents, ...(brought?.agents ?? [])].map((agent) => agent.name)
  const loaded = await loadConfig({ root, env, ...(given && { given }), named })
  checkTemplate(loaded.config.templates.review)
  return loaded
}

/** An agent that only echoes its prompt has not reviewed anything, and its echo must not count as a verdict. */
function checkTemplate(template: Template | null): void {
  const answer = template?.text ?? ''
  if (!template || isSilent({ answer, handedIn: [] }, ['json', 'verdict-line', 'marker'])) return
  throw new UserError(
    `${template.file} can be read as a verdict. An agent that only echoes it would seem to have reviewed.`,
    'Put the example of a verdict into a code block, or use {{verdict}} instead.',
  )
}

/** The agents that a task can name. */
export async function agentNames(repository: Repository): Promise<string[]> {
  const { config } = await readConfig(repository)
  return [...new Set([...Object.keys(config.agents), ...builtInAgents.map((agent) => agent.name)])]
}

interface MinScore {
  minScore: number
  /** Why the score is not the configured one. Null if it is, or if there is no configuration. */
  instead: string | null
}

/** The minimum score for a review that is read outside of a loop. This must work everywhere, even without a repository. */
export async function readMinScore({ cwd, env }: { cwd: string; env: NodeJS.ProcessEnv }): Promise<MinScore> {
  const usual = { minScore: defaultMinScore, instead: null }
  const repository = await openRepository(cwd, env).catch(() => null)
  if (!repository) return usual
  try {
    const { config } = await readConfig(repository)
    return { minScore: config.review.minScore, instead: null }
  } catch (error) {
    const why = error instanceof UserError ? 'is invalid' : "can't be read"
    const instead = `The configuration ${why}. The review is read with the default minimum score of ${defaultMinScore}.`
    return { ...usual, instead }
  }
}
