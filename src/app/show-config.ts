/** `umpire config`: every setting and its source, without secrets. */
import { homedir } from 'node:os'
import { relative, sep } from 'node:path'
import { type EffectiveValue, effectiveValues } from '../config/effective.ts'
import { createRedact, isSecretName, mask, type Redact } from '../lib/text/redact.ts'
import { defaultAgent } from './agents/cast-roles.ts'
import { readConfig } from './read-config.ts'
import type { Repository } from './repository.ts'

export interface ShownValue {
  key: string
  value: unknown
  /** `umpire.yaml:12`, `default`, `from effort`, or `first installed`. */
  source: string
}

export async function showConfig({ root, env }: Repository): Promise<ShownValue[]> {
  const redact = createRedact(env)
  const first = defaultAgent(env)
  const loaded = await readConfig({ root, env })
  const prompt = loaded.config.templates.review?.file
  return effectiveValues(loaded).map((row) => {
    if (first !== null && isUnassigned(row)) return { key: row.key, value: first, source: 'first installed' }
    const source = renderSource(row.source, root, env.HOME || homedir())
    const from = row.key === 'review.command' && prompt ? `, from ${prompt}` : ''
    return { key: row.key, value: withoutSecrets(row, redact), source: `${source}${from}` }
  })
}

/** Whether this row is a role without a configured agent. */
function isUnassigned({ path: [section, role = '', key], value }: EffectiveValue): boolean {
  return section === 'roles' && ['developer', 'reviewer'].includes(role) && key === 'agent' && value === null
}

function renderSource(source: EffectiveValue['source'], root: string, home: string): string {
  if (source === 'default') return source
  if ('from' in source) return `from ${source.from}`
  const { file, line } = source
  const inside = (folder: string) => {
    const path = relative(folder, file)
    return path.startsWith(`..${sep}`) ? null : path
  }
  const fromHome = inside(home)
  return `${inside(root) ?? (fromHome === null ? file : `~/${fromHome}`)}:${line}`
}

function withoutSecrets({ path, value }: EffectiveValue, redact: Redact): unknown {
  if (path.at(-2) === 'env' && isSecretName(path.at(-1) ?? '')) return mask
  return clean(value, redact)
}

function clean(value: unknown, redact: Redact): unknown {
  if (typeof value === 'string') return redact(value)
  if (Array.isArray(value)) return value.map((item) => clean(item, redact))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, inner]): [string, unknown] => [
    key,
    // Anyone who knows the address of a webhook can write to it.
    key === 'webhook' ? hostOf(inner) : clean(inner, redact),
  ])
  return Object.fromEntries(entries)
}

function hostOf(address: unknown): string {
  if (typeof address !== 'string' || !URL.canParse(address)) return mask
  const { protocol, host } = new URL(address)
  return `${protocol}//${host}/${mask}`
}
