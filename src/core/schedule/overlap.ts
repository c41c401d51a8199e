/**
 * Foresight: which files two tasks are both about, told from what their texts name and from what one of them has touched
 * so far. It is a guess that serves the order of work; whether two changes really conflict is found out by merging them.
 */
import type { EventData } from '../event.ts'
import type { Change, Loop } from '../loop.ts'
import type { Task } from '../task.ts'
import { fixedEnd, fixedFolder, isGlob, matchesGlob } from './glob.ts'

/** A file, all below a folder, either of the two where that can't be told, or a pattern. */
export interface Named {
  kind: 'file' | 'folder' | 'file or folder' | 'glob'
  path: string
}

/** What is known of a loop that runs. */
export interface Running {
  named: Named[]
  /** The files that it has changed so far, committed or not. */
  touched: string[]
}

export function namedPaths({
  scope,
  description,
  accept,
}: Pick<Task, 'scope' | 'description' | 'accept'>): Named[] {
  const told = [
    ...words(scope ?? '').map(inScope),
    ...words([description, ...accept].join('\n')).map(inProse),
  ]
  const found = new Map<string, Named>()
  for (const named of told) if (named && !found.has(named.path)) found.set(named.path, named)
  return [...found.values()].slice(0, mostNamed)
}

/** What both are about, as far as it can be named: empty when nothing. */
export function overlapOf(candidate: Named[], running: Running): string[] {
  const files = new Set<string>()
  for (const mine of candidate) {
    for (const theirs of running.named) if (meet(mine, theirs)) files.add(narrower(mine, theirs).path)
    for (const path of running.touched) if (covers(mine, path)) files.add(path)
  }
  return [...files].slice(0, mostTold)
}

export function deferredBy(
  { standing: { waitedBehind } }: Loop,
  { with: behind, files, does }: EventData['task.overlaps'],
): Change {
  if (does === 'starts') return { standing: { deferred: null } }
  return { standing: { deferred: { behind, files }, waitedBehind: [...new Set([...waitedBehind, behind])] } }
}

/**
 * Whether one that waited behind the other begins with its work, as if it depended on it: both say by their scope that they
 * change the same, and what began without it would conflict with it all the same. Words of a description and files that
 * were touched make a task wait; they are too weak to put another's commits on its branch. What nobody approved is built
 * on by nobody.
 */
export function isWorthTheWait({ scope }: Pick<Task, 'scope'>, other: Loop): boolean {
  if (other.standing.status !== 'completed' || other.landing.approval === null || other.standing.deleted)
    return false
  return overlapOf(scopeOnly(scope), { named: scopeOnly(other.task.scope), touched: [] }).length > 0
}

function scopeOnly(scope: string | null): Named[] {
  return namedPaths({ scope, description: '', accept: [] })
}

/** A text that names more is a listing, and not a plan of what to change. */
const mostNamed = 200
const mostTold = 5
const longestPath = 300

/** Between blanks, commas, quotes, backticks and brackets, without what ends a sentence. */
function words(text: string): string[] {
  return text
    .split(/[\s;"'`()<>|]+|,(?![^{}\s]*\})/)
    .map((word) => word.replace(/^\.\//, '').replace(/(:\d+)*[.:!]*$/, ''))
    .filter(
      (word) =>
        word.length > 1 && word.length <= longestPath && !/^\/|:\/\/|^@|^~|\\|\.\.|[\0-\x1f]/.test(word),
    )
}

/** In a scope every path is meant as one. */
function inScope(word: string): Named | null {
  if (isGlob(word)) return /[/.]/.test(word) ? { kind: 'glob', path: word } : null
  if (word.endsWith('/')) return { kind: 'folder', path: word }
  if (isFileName(word)) return { kind: 'file', path: word }
  return word.includes('/') && !proseWithSlash.test(word) ? { kind: 'file or folder', path: word } : null
}

/** In prose a folder is a way to speak of a part of the code, and only what looks like a file is one. */
function inProse(word: string): Named | null {
  if (isGlob(word)) return word.includes('/') && /\.\w+$/.test(word) ? { kind: 'glob', path: word } : null
  return isFileName(word) && (word.includes('/') || !isTalkOfCode(word)) ? { kind: 'file', path: word } : null
}

const withoutEnding = new Set([
  'Makefile',
  'Dockerfile',
  'Gemfile',
  'Rakefile',
  'Procfile',
  'Jenkinsfile',
  'LICENSE',
])

function isFileName(word: string): boolean {
  const name = word.slice(word.lastIndexOf('/') + 1)
  return withoutEnding.has(name) || /^[\w[\]@+.-]*\.[a-zA-Z][a-zA-Z0-9]{0,9}$/.test(name)
}

/** `and/or`, `client/server`: one word on each side. */
const proseWithSlash =
  /^(and\/or|either\/or|n\/a|yes\/no|on\/off|true\/false|input\/output|read\/write|client\/server|he\/she|s\/he)$/i

/** `console.log`, `Node.js`, `e.g`: a dot without a folder is a file only with an ending that files have. */
function isTalkOfCode(word: string): boolean {
  return (
    !fileEndings.test(word) || /^(node|next|vue|react|express|three|d3|nuxt|angular|ember)\.js$/i.test(word)
  )
}

const fileEndings =
  /(^[A-Z][a-z]+file|\.(ts|tsx|mts|cts|js|jsx|mjs|cjs|json|md|mdx|ya?ml|toml|py|go|rs|java|kt|rb|cs|php|swift|c|h|cc|cpp|hpp|sh|sql|html?|css|scss|vue|svelte|xml|txt|ini|cfg|lock|gradle|proto|tf))$/

function meet(one: Named, other: Named): boolean {
  if (one.kind === 'file') return covers(other, one.path) || isSameFile(one, other)
  if (other.kind === 'file') return covers(one, other.path)
  const [mine, theirs] = [folderOf(one), folderOf(other)]
  if (!isBelow(mine, theirs) && !isBelow(theirs, mine)) return false
  if (one.kind !== 'glob' || other.kind !== 'glob') return true
  const [end, otherEnd] = [fixedEnd(one.path), fixedEnd(other.path)]
  return end.endsWith(otherEnd) || otherEnd.endsWith(end)
}

function covers({ kind, path }: Named, file: string): boolean {
  switch (kind) {
    case 'file':
      return isFileOf(path, file)
    case 'folder':
      return isBelow(file, path)
    case 'file or folder':
      return path === file || isBelow(file, `${path}/`)
    case 'glob':
      return matchesGlob(path, file)
  }
}

function isSameFile(one: Named, other: Named): boolean {
  return other.kind === 'file' && (isFileOf(one.path, other.path) || isFileOf(other.path, one.path))
}

/** A name without a folder stands for the file of that name, wherever it is. */
function isFileOf(name: string, file: string): boolean {
  return name === file || (!name.includes('/') && file.endsWith(`/${name}`))
}

function folderOf({ kind, path }: Named): string {
  if (kind === 'glob') return fixedFolder(path)
  return kind === 'folder' ? path : `${path}/`
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder)
}

/** Of two that meet, the one that says more exactly what is meant. */
function narrower(one: Named, other: Named): Named {
  return other.kind === 'file' ? other : one
}
