import { relative, sep } from 'node:path'
import { UserError } from '../../core/errors.ts'
import { closestNode, type KeyPath, renderPath, type SourceNode } from './source-tree.ts'

/** One thing that is wrong in one configuration file. */
export interface Problem {
  file: string
  /** Null when the file as a whole is meant. */
  line: number | null
  path: KeyPath
  text: string
}

/** A problem with the value at a path, or with what should stand there, on the nearest line that is written. */
export function problemAt(root: SourceNode, path: KeyPath, text: string): Problem {
  const { node, depth } = closestNode(root, path)
  // Of a short form, like a role that is an agent's name alone, the key is named that the person wrote.
  const written = node.value instanceof Map ? path : path.slice(0, depth)
  return { file: node.file, line: node.line, path: written, text }
}

/** All problems in one error, a line each, so that they can be mended in one go. */
export function configError(problems: Problem[], root: string): UserError {
  const lines = problems.map((problem) => renderProblem(problem, root))
  return new UserError(['invalid configuration:', ...new Set(lines)].join('\n'))
}

function renderProblem({ file, line, path, text }: Problem, root: string): string {
  const place = line === null ? showFile(file, root) : `${showFile(file, root)}:${line}`
  return [place, ...(path.length > 0 ? [renderPath(path)] : []), text].join(': ')
}

/** Files of the repository are named from its top; the person's own by their whole path. */
function showFile(file: string, root: string): string {
  const fromRoot = relative(root, file)
  return fromRoot.startsWith(`..${sep}`) ? file : fromRoot
}
