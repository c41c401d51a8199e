/**
 * Which files two tasks probably both change, judging by the files that their texts name and that one of them has touched
 * so far. It is a guess that only affects the order of work. Whether two changes really conflict shows when they are merged.
 */
import type { EventData } from '../event.ts'
import type { Change, Loop } from '../loop.ts'
import type { Task } from '../task.ts'
import { fixedEnd, fixedFolder, isGlob, matchesGlob } from './glob.ts'

/** A file, a folder with everything below it, a path that could be either, or a pattern. */
export interface Named {
  kind: 'file' | 'folder' | 'file or folder' | 'glob'
  path: string
}

/** What is known about a running loop. */
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

/** The paths that both tasks probably change. Empty if there are none. */
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
 * Whether a task that waited for another one begins with that one's work, as if it depended on it. Both scopes must say that
 * they change the same files, because then the two would conflict anyway. Names in a description and touched files can make
 * a task wait, but they are too weak a reason to put another task's commits on its branch. No task builds on work that was
 * not approved.
 */
export function isWorthTheWait({ scope }: Pick<Task, 'scope'>, other: Loop): boolean {
  if (other.standing.status !== 'completed' || other.landing.approval === null || other.standing.deleted)
    return false
  return overlapOf(scopeOnly(scope), { named: scopeOnly(other.task.scope), touched: [] }).length > 0
}

function scopeOnly(scope: string | null): Named[] {
  return namedPaths({ scope, description: '', accept: [] })
}

/** A text that names more paths is a listing, not a plan of what to change. */
const mostNamed = 200
const mostTold = 5
const longestPath = 300

/** The words between blanks, commas, quotes, backticks and brackets, without the punctuation that ends a sentence. */
function words(text: string): string[] {
  return text
    .split(/[\s;"'`()<>|]+|,(?![^{}\s]*\})/)
    .map((word) => word.replace(/^\.\//, '').replace(/(:\d+)*[.:!]*$/, ''))
    .filter(
      (word) =>
        word.length > 1 && word.length <= longestPath && !/^\/|:\/\/|^@|^~|\\|\.\.|[\0-\x1f]/.test(word),
    )
}

/** In a scope, every path is meant as a path. */
function inScope(word: string): Named | null {
  if (isGlob(word)) return /[/.]/.test(word) ? { kind: 'glob', path: word } : null
  if (word.endsWith('/')) return { kind: 'folder', path: word }
  if (isFileName(word)) return { kind: 'file', path: word }
  return word.includes('/') && !proseWithSlash.test(word) ? { kind: 'file or folder', path: word } : null
}

/** In prose, a folder often just names a part of the code, so only words that look like a file count. */
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

/** `console.log`, `Node.js`, `e.g`: a word with a dot but no folder is a file only if it has a known file ending. */
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

/** The more exact of two overlapping paths. */
function narrower(one: Named, other: Named): Named {
  return other.kind === 'file' ? other : one
}
