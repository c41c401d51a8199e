/** The minimum score for a review that is read outside of a loop. This must work everywhere, even without a repository. */
import { defaultMinScore } from '../config/resolve.ts'
import { UserError } from '../core/errors.ts'
import { readConfig } from './read-config.ts'
import { openRepository } from './repository.ts'

export interface MinScore {
  minScore: number
  /** Why the score is not the configured one. Null if it is, or if there is no configuration. */
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
    const instead = `The configuration ${why}. The review is read with the default minimum score of ${defaultMinScore}.`
    return { ...usual, instead }
  }
}
