/**
 * Every key with its effective value and the source of that value, for `umpire config`. A value from a file is shown as
 * written. Defaults come from the resolved configuration, under names derived from the keys.
 */
import { resolveCycles } from '../core/policy/policy.ts'
import type { AgentDefinition, Config } from './config.ts'
import { configKeys } from './config-keys.ts'
import { renderDuration } from './duration.ts'
import type { LoadedConfig, Source } from './load-config.ts'
import { renderPath } from './yaml/source-tree.ts'

export interface EffectiveValue {
  key: string
  path: string[]
  /** In the notation of the files: `60m`, not a number of milliseconds. */
  value: unknown
  /** `from` names another key that decides because this one is not set. */
  source: Source | { from: string }
}

export function effectiveValues(loaded: LoadedConfig): EffectiveValue[] {
  const rows = new Map<string, EffectiveValue>()
  for (const pattern of configKeys()) {
    for (const path of pathsOf(pattern.split('.'), loaded.config)) {
      const key = renderPath(path)
      if (!rows.has(key)) rows.set(key, { key, path, ...heldBy(path, loaded) })
    }
  }
  return [...rows.values()]
}

/** Fills in the names that the user chose. Without any, the empty section itself is shown. */
function pathsOf(pattern: string[], config: Config): string[][] {
  const star = pattern.indexOf('*')
  if (star === -1) return [pattern]
  const parent = pattern.slice(0, star)
  const named = lookUp(config, parent)
  // A list of mappings is shown as a whole.
  if (Array.isArray(named) || typeof named !== 'object' || named === null) return [parent]
  const names = Object.keys(named)
  if (names.length === 0) return [parent]
  const rest = pattern.slice(star + 1)
  return names.flatMap((name) => {
    const definition = parent.length === 1 && parent[0] === 'agents' ? config.agents[name] : undefined
    if (definition && !keysOfKind[definition.kind].includes(rest[0] ?? '')) return []
    return pathsOf([...parent, name, ...rest], config)
  })
}

/** An agent is a program, an ACP agent or a script, and has only the keys of that kind. */
const keysOfKind: Record<AgentDefinition['kind'], string[]> = {
  command: ['command', 'prompt', 'tools', 'env', 'confine'],
  acp: ['agent', 'command', 'mode', 'env', 'confine'],
  scripted: ['agent', 'script'],
}

type Held = Pick<EffectiveValue, 'value' | 'source'>

function heldBy(path: string[], loaded: LoadedConfig): Held {
  const { config, sources, written } = loaded
  const key = renderPath(path)
  const source = sources.get(key) ?? 'default'
  if (written.has(key)) return { value: written.get(key), source }
  const decided = decidedElsewhere(path, loaded)
  if (decided) return decided
  const value = lookUp(config, path)
  if (value === undefined) throw new Error(`unknown key ${key}`)
  return { value, source }
}

/** If a type of task does not set one of these, the key on the right applies, which counts for all types. */
const sameForAll: Record<string, string> = {
  auto_review: 'review.enabled',
  effort: 'effort',
  model: 'roles.developer.model',
  review_model: 'roles.reviewer.model',
}

function decidedElsewhere(path: string[], loaded: LoadedConfig): Held | null {
  const [first = '', type = '', ...rest] = path
  if (path.length === 1 && (first === 'effort' || first === 'max_cycles')) return cycles(first, '', loaded)
  if (first !== 'task_types') return null
  if (rest[0] === 'max_cycles') return cycles('max_cycles', type, loaded)
  const other = rest[0] === 'limits' ? rest : sameForAll[rest[0] ?? '']?.split('.')
  return other ? inherited(other, loaded) : null
}

function inherited(other: string[], loaded: LoadedConfig): Held {
  const { value, source } = heldBy(other, loaded)
  return {
    value,
    source: source === 'default' || 'from' in Object(source) ? source : { from: renderPath(other) },
  }
}

/** Several settings decide the maximum number of reviews, so this asks the same function as a loop. */
function cycles(key: 'effort' | 'max_cycles', type: string, { config, sources }: LoadedConfig): Held {
  const own = Object.entries(config.taskTypes).find(([name]) => name === type)?.[1]
  const { effort, maxCycles } = resolveCycles({
    task: { maxCycles: null, effort: null },
    run: { effort: null },
    type: { maxCycles: own?.maxCycles, effort: own?.effort },
    file: { maxCycles: config.maxCycles, effort: config.effort },
  })
  const deciding = key === 'max_cycles' ? [`task_types.${type}.effort`, 'max_cycles', 'effort'] : []
  const from = deciding.find((other) => (sources.get(other) ?? 'default') !== 'default')
  return { value: key === 'effort' ? effort : maxCycles, source: from ? { from } : 'default' }
}

/** `review.min_score` is `config.review.minScore`, and `limits.develop` is `config.limits.developMs`. */
function lookUp(value: unknown, [step, ...rest]: string[]): unknown {
  if (step === undefined) return value
  // A role without an agent has no model either.
  if (value === null) return rest.length === 0 ? (withoutAgent[step] ?? null) : null
  if (typeof value !== 'object') return undefined
  const fields = new Map(Object.entries(value))
  const name = step.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
  const found = [step, name].find((each) => fields.has(each))
  if (found !== undefined) return lookUp(fields.get(found), rest)
  const ms = fields.get(`${name}Ms`)
  return typeof ms === 'number' && rest.length === 0 ? renderDuration(ms) : undefined
}

const withoutAgent: Record<string, unknown> = { args: [], env: {}, continue_session: false }
