/**
 * Reads the configuration: the person's own file, the project's, and the one for this checkout alone, later ones over
 * earlier ones. Either everything in all of them is right, or one error says all that is wrong.
 */
import { join, resolve } from 'node:path'
import { usualCommand } from '../core/policy/review-command.ts'
import { checkLayer } from './check-layer.ts'
import type { Config } from './config.ts'
import { layerFiles } from './config-files.ts'
import { configKeys } from './config-keys.ts'
import { crossCheck } from './cross-check.ts'
import { resolveConfig } from './resolve.ts'
import { fileSchema } from './schema.ts'
import { readTemplates } from './templates.ts'
import { mergeLayers } from './yaml/merge-layers.ts'
import { parseYaml } from './yaml/parse-yaml.ts'
import { configError, problemAt } from './yaml/problem.ts'
import { readLayer } from './yaml/read-layer.ts'
import { type KeyPath, renderPath, type SourceNode, toPlain } from './yaml/source-tree.ts'

export interface LoadedConfig {
  config: Config
  /** By key path as written in the file (`review.context.plan`). What is not in it comes from the defaults, too. */
  sources: Map<string, Source>
  /** The values of those keys that a file says, as it says them. */
  written: Map<string, unknown>
}

export type Source = { file: string; line: number } | 'default'

export interface ConfigPlace {
  /** The checkout in which Umpire was started. */
  root: string
  /** The folder of the person's own `config.yaml`; by default `umpire` in `$XDG_CONFIG_HOME` or `~/.config`. */
  home?: string
  env?: Record<string, string | undefined>
  /** Settings that a program gives itself, in the words of `umpire.yaml`; they go over those of all files. */
  given?: object
  /** Agents that are there without being defined; roles may name them. */
  named?: string[]
}

/** Throws a UserError that names every problem of every file. */
export async function loadConfig(place: ConfigPlace): Promise<LoadedConfig> {
  const root = resolve(place.root)
  const files = layerFiles(place)
  const layers = await Promise.all(files.map(readLayer))
  if (place.given) {
    const file = join(root, givenName)
    files.push(file)
    // JSON is YAML, and so the settings of a program are held to the same rules.
    layers.push(parseYaml(file, JSON.stringify(place.given, null, 2)))
  }
  const problems = layers.flatMap((layer) => {
    if (layer.kind === 'unreadable' || !layer.root) return layer.problems
    return [...layer.problems, ...checkLayer(layer.root)]
  })

  const nothing: SourceNode = { file: join(root, 'umpire.yaml'), line: 1, value: new Map() }
  const merged = layers
    .flatMap((layer) => (layer.kind === 'read' && layer.root ? [layer.root] : []))
    .reduce((below, above) => mergeLayers(below, above), nothing)
  const file = fileSchema.parse(toPlain(merged))
  // Of a file that cannot be read nobody knows what it would have added.
  if (layers.every((layer) => layer.kind === 'read')) {
    const spoiled = problems.map((problem) => problem.path)
    problems.push(...crossCheck(merged, file, spoiled, place.named ?? []))
  }
  const command = file.review?.command ?? usualCommand
  const { templates, problems: inTemplates } = await readTemplates(root, command, (text) =>
    problemAt(merged, ['review', 'command'], text),
  )
  problems.push(...inTemplates)
  files.push(...inTemplates.map((problem) => problem.file).filter((each) => !files.includes(each)))
  if (problems.length > 0) {
    problems.sort((a, b) => files.indexOf(a.file) - files.indexOf(b.file) || (a.line ?? 0) - (b.line ?? 0))
    throw configError(problems, root)
  }
  return { config: resolveConfig(file, merged, templates), ...collectSources(merged) }
}

/** What errors call the settings that are in no file. */
const givenName = '(given settings)'

function collectSources(root: SourceNode): Pick<LoadedConfig, 'sources' | 'written'> {
  const sources = new Map<string, Source>()
  const written = new Map<string, unknown>()
  function visit(node: SourceNode, path: KeyPath): void {
    if (node.value instanceof Map && node.value.size > 0) {
      for (const [key, child] of node.value) visit(child, [...path, key])
    } else if (path.length > 0) {
      const isShortRole = path.length === 2 && path[0] === 'roles'
      const key = renderPath(isShortRole ? [...path, 'agent'] : path)
      sources.set(key, { file: node.file, line: node.line })
      written.set(key, toPlain(node))
    }
  }
  visit(root, [])
  for (const key of configKeys()) {
    if (!key.includes('*') && !sources.has(key)) sources.set(key, 'default')
  }
  return { sources, written }
}
