import type { Config } from '../config/config.ts'
import { secretValues } from '../lib/text/redact.ts'

/**
 * Secrets in the configuration. An agent can print the environment variables that it gets from the configuration.
 * Anyone who knows the address of a webhook can write to it.
 */
export function configuredSecrets({ roles, agents, notify }: Config): string[] {
  const environments = [
    ...Object.values(roles).map((role) => role?.env),
    ...Object.values(agents).map((agent) => ('env' in agent ? agent.env : undefined)),
  ]
  const addresses = notify.flatMap((entry) =>
    entry.kind === 'webhook' && new URL(entry.url).pathname.length > 1 ? [entry.url] : [],
  )
  return [...environments.flatMap((env) => secretValues(env ?? {})), ...addresses]
}
