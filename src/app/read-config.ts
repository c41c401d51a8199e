/** Reads the configuration, including the built-in agents, which need no definition. */
import { builtInAgents } from '../agents/built-in.ts'
import type { Template } from '../config/config.ts'
import { type LoadedConfig, loadConfig } from '../config/load-config.ts'
import { UserError } from '../core/errors.ts'
import { isSilent } from '../verdicts/channels.ts'
import type { Repository } from './repository.ts'
import type { Brought } from './settings.ts'

/** What a program that uses the library gives in addition to the configuration files. */
export interface Given {
  /** Settings in the words of `umpire.yaml`, over those of the files. */
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
