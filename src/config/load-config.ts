/**
 * Reads the configuration: the user's own file, the project's, and the one for this checkout alone. Later ones override
 * earlier ones. If anything is wrong in any of them, one error lists all problems.
 */

import { readFile, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { usualCommand } from '../core/policy/review-command.ts'
import { codeOf } from '../lib/error-code.ts'
import { exists } from '../lib/file/exists.ts'
import { checkLayer } from './check-layer.ts'
import type { Config } from './config.ts'
import { layerFiles } from './config-files.ts'
import { configKeys } from './config-keys.ts'
import { crossCheck } from './cross-check.ts'
import { resolveConfig } from './resolve-config.ts'
import { fileSchema } from './schema.ts'
import { readTemplates } from './templates.ts'
import { type ParsedYaml, parseYaml } from './yaml/parse-yaml.ts'
import { configError, problemAt } from './yaml/problem.ts'
import { type KeyPath, renderPath, type SourceMap, type SourceNode, toPlain } from './yaml/source-tree.ts'

export interface LoadedConfig {
  config: Config
  /** By key path as written in the file (`review.context.plan`). A key that is missing here has its default. */
  sources: Map<string, Source>
  /** The values that files set, as written. */
  written: Map<string, unknown>
}

export type Source = { file: string; line: number } | 'default'

export interface ConfigPlace {
  /** The checkout in which Umpire was started. */
  root: string
  /** The folder of the user's `config.yaml`; by default `umpire` in `$XDG_CONFIG_HOME` or `~/.config`. */
  home?: string
  env?: Record<string, string | undefined>
  /** Settings from the calling program, with the keys of `umpire.yaml`. They override all files. */
  given?: object
  /** Agents that exist without a definition. Roles may name them. */
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
    // JSON is YAML, so the settings of a program follow the same rules.
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
  // If a file cannot be read, it is unknown what it would have added.
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

/** The name of the calling program's settings in errors. */
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

/** Merges a later file into an earlier one: mappings key by key; lists and single values are replaced. */
function mergeLayers(below: SourceNode, above: SourceNode, path: KeyPath = []): SourceNode {
  const lower = path.length === 2 && path[0] === 'roles' ? longForm(below) : below
  if (!(lower.value instanceof Map) || !(above.value instanceof Map)) return above
  if (isAnother(path, lower.value, above.value)) return above
  const merged: SourceMap = new Map(lower.value)
  for (const [key, child] of above.value) {
    const old = merged.get(key)
    merged.set(key, old ? mergeLayers(old, child, [...path, key]) : child)
  }
  return { ...above, value: merged }
}

/** Expands a role that is written as a name alone, so that `{ model: … }` in a later file can extend it. */
function longForm(node: SourceNode): SourceNode {
  return typeof node.value === 'string' ? { ...node, value: new Map([['agent', node]]) } : node
}

/** One agent's model and arguments do not fit another, so a role with a new agent keeps none of the old settings. */
function isAnother(path: KeyPath, lower: SourceMap, upper: SourceMap): boolean {
  if (path.length !== 2) return false
  if (path[0] === 'roles') {
    const agent = upper.get('agent')
    return agent !== undefined && agent.value !== lower.get('agent')?.value
  }
  if (path[0] !== 'agents') return false
  return (upper.has('command') && lower.has('agent')) || (upper.has('agent') && lower.has('command'))
}

/** Far more than a person writes. The limit keeps a wrong file in this place from being read. */
const mostBytes = 256 * 1024

/** Reads one configuration file. A missing file is fine, unless it exists under a name that Umpire does not read. */
async function readLayer(file: string): Promise<ParsedYaml> {
  const fail = (text: string): ParsedYaml => {
    return { kind: 'unreadable', problems: [{ file, line: null, path: [], text }] }
  }
  try {
    const found = await stat(file)
    if (found.isDirectory()) return fail('is a directory, but must be a file')
    // Reading a named pipe would wait forever.
    if (!found.isFile()) return fail('is not a regular file')
    if (found.size > mostBytes) return fail(`is larger than ${mostBytes / 1024} KiB`)
    const bytes = await readFile(file)
    return parseYaml(file, new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return fail('is not UTF-8 text')
    if (code === 'ENOENT' || code === 'ENOTDIR') return await readAbsent(file)
    if (code === 'EACCES' || code === 'EPERM') return fail('cannot be read: permission denied')
    if (typeof code === 'string') return fail(`cannot be read: ${code}`)
    throw error
  }
}

/** Silently ignored settings are worse than an error, so the two usual mistakes are reported. */
async function readAbsent(file: string): Promise<ParsedYaml> {
  if (await exists(file)) {
    const text = 'is a symbolic link to something that does not exist'
    return { kind: 'unreadable', problems: [{ file, line: null, path: [], text }] }
  }
  const otherName = file.replace(/\.yaml$/, '.yml')
  if (await exists(otherName)) {
    const text = 'Umpire does not read this name; rename the file so that it ends in .yaml'
    return { kind: 'unreadable', problems: [{ file: otherName, line: null, path: [], text }] }
  }
  return { kind: 'read', root: null, problems: [] }
}
