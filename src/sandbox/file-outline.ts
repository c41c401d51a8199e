/**
 * Files, and folders with all that is in them, as names and a value for each that differs when the thing does. Small
 * files are read, so that one that was written anew with the same words counts as the same.
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

/** Larger ones are known by their size and times. */
const mostBytes = 256 * 1024

/** So many are told by name; the rest is one more that differs when any of it does. */
const mostNamed = 1000

/** Far more than anybody has of settings; beyond it is not looked. */
const mostEntries = 100_000

/** What package managers and version control fill there, and marks by which Claude Code tends its plugins. */
const passing = new Set(['node_modules', '.git', '.DS_Store', '.in_use', '.orphaned_at'])

export interface Outlined {
  paths: string[]
  /** Not looked at, though in one of them. */
  except: string[]
}

/** Names below `home` are told with a `~`. What is not there is left out. Links are followed. */
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

/** A link may lead back to where it lies. */
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

/** Null for one that says nothing. The time of the last change to anything about a file is none that a program can set. */
function describe(path: string, { mode, size, mtimeMs, ctimeMs, ino }: Stats): string | null {
  const isSmall = size <= mostBytes && (mode & fileType) === regularFile
  const content = isSmall ? attempt(() => readFileSync(path, 'latin1')) : null
  if (content === null) return `${mode} ${size} ${mtimeMs} ${ctimeMs} ${ino}`
  const said = withoutPassing(path, content)
  return said === '' ? null : `${mode} ${sha256(said)}`
}

/**
 * What programs write into their settings by mere use. opencode puts a schema into a file that has none, and makes one
 * for it where there is none; Codex notes which folders it was used in, of which a reviewer's is never one to trust.
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

/** Only a regular one can be read without waiting for somebody to write. */
const fileType = 0o170000
const regularFile = 0o100000

function look(path: string, by: typeof lstatSync | typeof statSync = lstatSync): Stats | null {
  return attempt(() => by(path, { throwIfNoEntry: false }) ?? null)
}

function linkIn(path: string): string {
  return attempt(() => readlinkSync(path)) ?? ''
}

/** What may not be looked at is as good as not there. */
function attempt<T>(read: () => T): T | null {
  try {
    return read()
  } catch {
    return null
  }
}
