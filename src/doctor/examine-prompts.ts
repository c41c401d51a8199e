/** Which of the project's own prompts take the place of ours, and whether the reviewer's own command is likely one. */
import { existsSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Repository } from '../app/repository.ts'
import { defaultAgent } from '../app/settings.ts'
import type { Config } from '../config/config.ts'
import { nearest } from '../config/yaml/nearest.ts'
import { parseCommand, usualCommand } from '../core/policy/review-command.ts'
import { doubtful, type Finding, fine } from './finding.ts'

export function examinePrompts(config: Config, repository: Repository): Finding[] {
  const { review, templates } = config
  const own = [
    ...(templates.review ? [`${templates.review.file} for reviewers`] : []),
    ...(templates.develop ? [`${templates.develop.file} for developers`] : []),
  ]
  const name = parseCommand(review.command)?.name ?? ''
  const byAgent = !templates.review && `/${name}` !== usualCommand
  if (byAgent) own.unshift(`the reviewer's own command ${review.command}`)
  if (own.length === 0) return []
  const doubt = byAgent ? doubtAbout(name, config, repository) : null
  const text = own.join(', ')
  return [doubt ? doubtful('prompts', `${text}${doubt.text}`, doubt.fix) : fine('prompts', text)]
}

/** A name that is nobody's is found out only by the agent, when the work is done and the review is to begin. */
function doubtAbout(
  name: string,
  { roles }: Config,
  { root, env }: Repository,
): { text: string; fix: string } | null {
  const known = isKnownToClaude(name, { ...env, ...roles.reviewer?.env })
  const isClaude = (roles.reviewer?.agent ?? defaultAgent(env)) === 'claude'
  if (isClaude && known) return null
  const meant = nearest(name, [usualCommand.slice(1), ...namesIn(join(root, 'umpire/prompts'))])
  const question = meant === null ? '' : `Did you mean /${meant}? `
  if (isClaude) {
    const text = ', which Claude Code does not seem to know'
    return { text, fix: `${question}Write umpire/prompts/${name}.md, or change review.command.` }
  }
  return meant === null ? null : { text: '', fix: `${question}If so, change review.command.` }
}

/** Built in, or of a plugin, which can't be looked up by its name; a person's own lie in their folders. */
function isKnownToClaude(name: string, env: Record<string, string | undefined>): boolean {
  if (name.includes(':') || name === 'review' || name === 'security-review') return true
  const folder = env.CLAUDE_CONFIG_DIR ?? join(env.HOME ?? '', '.claude')
  return namesIn(join(folder, 'commands')).includes(name) || existsSync(join(folder, 'skills', name))
}

/** Of the files for prompts in it, however deep. */
function namesIn(folder: string): string[] {
  try {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    return files.filter((file) => file.endsWith('.md')).map((file) => basename(file, '.md'))
  } catch {
    return []
  }
}
