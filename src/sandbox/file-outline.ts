/**
 * Describes files and folders, with their contents, as names and a value for each that changes when the thing does.
 * Small files are read, so a file that was rewritten with the same text counts as unchanged.
 */
import {
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs'
import { join, sep } from 'node:path'
import { sha256 } from '../lib/text/sha256.ts'

/** Larger files are compared by size and times. */
const mostBytes = 256 * 1024

/** This many are listed by name. The rest are one more entry, which changes when any of them does. */
const mostNamed = 1000

/** Far more settings files than any user has. Entries beyond this are ignored. */
const mostEntries = 100_000

/** Contents of package managers and version control, and markers that Claude Code puts on its plugins. */
const passing = new Set(['node_modules', '.git', '.DS_Store', '.in_use', '.orphaned_at'])

export interface Outlined {
  paths: string[]
  /** Ignored, although inside one of the paths. */
  except: string[]
}

/** Names below `home` are shown with a `~`. Missing paths are left out. Links are followed. */
export function outlineFiles({ paths, except }: Outlined, home: string | undefined): Record<string, string> {
  const found: [string, string][] = []
  const folders = new Set<string>()
  const waiting = [...paths].sort().reverse()
  for (let path = waiting.pop(); path !== undefined && found.length < mostEntries; path = waiting.pop()) {
    const stat = except.includes(path) ? null : look(path)
    if (stat === null) continue
    const name = home && path.startsWith(`${home}${sep}`) ? `~${path.slice(home.length)}` : path
    const link = stat.isSymbolicLink() ? `→ ${linkIn(path)} ` : ''
    const target = link ? look(path, statSync) : stat
    if (target?.isDirectory()) {
      if (link) found.push([name, link])
      if (isNew(path, folders)) waiting.push(...entriesOf(path))
      continue
    }
    const value = target ? describe(path, target) : 'gone'
    if (value !== null) found.push([name, `${link}${value}`])
  }
  const rest = found.slice(mostNamed)
  return Object.fromEntries([
    ...found.slice(0, mostNamed),
    ...(rest.length > 0 ? [['…', sha256(JSON.stringify(rest))] as const] : []),
  ])
}

/** A link may lead back to its own parent. */
function isNew(folder: string, known: Set<string>): boolean {
  const real = attempt(() => realpathSync(folder)) ?? folder
  if (known.has(real)) return false
  known.add(real)
  return true
}

function entriesOf(folder: string): string[] {
  const names = attempt(() => readdirSync(folder)) ?? []
  const kept = names.filter((name) => !passing.has(name))
  // Taken from the end, so that they come in the order of their names.
  return kept
    .sort()
    .reverse()
    .map((name) => join(folder, name))
}

/** Null for a file without real content. It includes ctime, because a program cannot set that. */
function describe(path: string, { mode, size, mtimeMs, ctimeMs, ino }: Stats): string | null {
  const isSmall = size <= mostBytes && (mode & fileType) === regularFile
  const content = isSmall ? attempt(() => readFileSync(path, 'latin1')) : null
  if (content === null) return `${mode} ${size} ${mtimeMs} ${ctimeMs} ${ino}`
  const said = withoutPassing(path, content)
  return said === '' ? null : `${mode} ${sha256(said)}`
}

/**
 * Removes what programs write into their settings in ordinary use. opencode adds a schema to a file without one, and
 * creates a file for it. Codex notes the folders it was used in, and a reviewer's folder is never one to trust.
 */
function withoutPassing(path: string, text: string): string {
  if (path.endsWith('config.toml')) return text.replace(trust, '').trim()
  if (!/\.jsonc?$/.test(path)) return text
  const said = text
    .replace(schema, '')
    .replace(/^\s*\{\s*/, '{')
    .trim()
  return said === '{}' ? '' : said
}

const schema = /"\$schema"\s*:\s*"https:\/\/opencode\.ai\/config\.json"\s*,?/
const trust = /^\[projects\.(?:"[^"\n]*"|'[^'\n]*')\]\ntrust_level = "(?:un)?trusted"\n*(?=\[|$(?![\s\S]))/gm

/** Only a regular file can be read without waiting for a writer. */
const fileType = 0o170000
const regularFile = 0o100000

function look(path: string, by: typeof lstatSync | typeof statSync = lstatSync): Stats | null {
  return attempt(() => by(path, { throwIfNoEntry: false }) ?? null)
}

function linkIn(path: string): string {
  return attempt(() => readlinkSync(path)) ?? ''
}

/** A path that may not be read counts as missing. */
function attempt<T>(read: () => T): T | null {
  try {
    return read()
  } catch {
    return null
  }
}
