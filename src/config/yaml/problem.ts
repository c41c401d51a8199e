import { relative, sep } from 'node:path'
import { UserError } from '../../core/errors.ts'
import { closestNode, type KeyPath, renderPath, type SourceNode } from './source-tree.ts'

/** One thing that is wrong in one configuration file. */
export interface Problem {
  file: string
  /** Null if the problem is about the whole file. */
  line: number | null
  path: KeyPath
  text: string
}

/** A problem with the value at a path. If the value is missing, it names the nearest line that exists. */
export function problemAt(root: SourceNode, path: KeyPath, text: string): Problem {
  const { node, depth } = closestNode(root, path)
  // For a short form, such as a role that is just an agent's name, this names the key that the user wrote.
  const written = node.value instanceof Map ? path : path.slice(0, depth)
  return { file: node.file, line: node.line, path: written, text }
}

/** All problems in one error, one per line, so that the user can fix them together. */
export function configError(problems: Problem[], root: string): UserError {
  const lines = problems.map((problem) => renderProblem(problem, root))
  return new UserError(['invalid configuration:', ...new Set(lines)].join('\n'))
}

function renderProblem({ file, line, path, text }: Problem, root: string): string {
  const place = line === null ? showFile(file, root) : `${showFile(file, root)}:${line}`
  return [place, ...(path.length > 0 ? [renderPath(path)] : []), text].join(': ')
}

/** Files of the repository are shown relative to its top, other files by their full path. */
function showFile(file: string, root: string): string {
  const fromRoot = relative(root, file)
  return fromRoot.startsWith(`..${sep}`) ? file : fromRoot
}

/** The candidate that the user most likely meant, or null if none is close enough to suggest. */
export function nearest(word: string, candidates: readonly string[]): string | null {
  const wanted = fold(word)
  const ranked = candidates
    .map((candidate) => ({ candidate, distance: editDistance(wanted, fold(candidate)) }))
    .sort((a, b) => a.distance - b.distance)
  const best = ranked[0]
  const tolerated = Math.max(1, Math.floor(Math.min(wanted.length, 30) / 3))
  return best && best.distance <= tolerated ? best.candidate : null
}

/** Makes `maxCycles`, `max-cycles` and `max_cycles` equal. */
function fold(word: string): string {
  // No key is longer than this, and the table of distances grows with the square of the length.
  return word
    .slice(0, 60)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
}

/** The number of insertions, deletions, replacements and swaps that turn one word into the other. */
function editDistance(from: string, to: string): number {
  const a = [...from]
  const b = [...to]
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1]
      const choices = [
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (same ? 0 : 1),
      ]
      const swapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      if (row > 1 && column > 1 && swapped) choices.push(at(beforeLast, column - 2) + 1)
      current.push(Math.min(...choices))
    }
    beforeLast = last
    last = current
  }
  return at(last, b.length)
}

function at(row: number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY
}
