/** The minimum score by which a review is judged outside of a loop. Reading a review must work everywhere, with or without a repository. */
import { defaultMinScore } from '../config/resolve.ts'
import { UserError } from '../core/errors.ts'
import { readConfig } from './read-config.ts'
import { openRepository } from './repository.ts'

export interface MinScore {
  minScore: number
  /** Why it is not the one that the configuration says, where there is a configuration. */
  instead: string | null
}

export async function readMinScore({ cwd, env }: { cwd: string; env: NodeJS.ProcessEnv }): Promise<MinScore> {
  const usual = { minScore: defaultMinScore, instead: null }
  const repository = await openRepository(cwd, env).catch(() => null)
  if (!repository) return usual
  try {
    const { config } = await readConfig(repository)
    return { minScore: config.review.minScore, instead: null }
  } catch (error) {
    const why = error instanceof UserError ? 'is invalid' : "can't be read"
    const instead = `The configuration ${why}; the review is held to the usual minimum score of ${defaultMinScore}.`
    return { ...usual, instead }
  }
}
