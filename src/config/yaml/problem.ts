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
