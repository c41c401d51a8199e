/** Turns the name that a person typed for an agent into a definition: a built-in agent, or a program on this machine. */
import { statSync } from 'node:fs'
import { basename, extname, isAbsolute, relative, resolve, sep } from 'node:path'
import type { Agent } from '../../agents/agent.ts'
import { builtInAgents } from '../../agents/built-in.ts'
import { nearest } from '../../config/yaml/problem.ts'
import { UserError } from '../../core/errors.ts'
import { findProgram } from '../../lib/process/exec.ts'
import type { ChosenAgent } from '../../setup/draft.ts'
import type { Repository } from '../repository.ts'

/** The interpreters for files that are not executable. The first installed one is used. */
const interpretersByExtension: Record<string, string[]> = {
  '.js': ['node'],
  '.mjs': ['node'],
  '.cjs': ['node'],
  '.py': ['python3', 'python'],
  '.rb': ['ruby'],
  '.pl': ['perl'],
  '.php': ['php'],
  '.sh': ['sh'],
  '.bash': ['bash'],
}

/** The built-in agents whose program is on the PATH. An agent has the same name as its program. */
export function installedAgents(path: string | undefined): Agent[] {
  return builtInAgents.filter(({ name }) => findProgram(name, path) !== null)
}

/** Says what to do if there is no agent at all. */
export function toInstall(or: string): string {
  const names = builtInAgents.map(({ name }) => name)
  return `Install one of ${names.join(', ')}, or ${or}`
}

/** Throws a UserError if there is no such agent or program. A path is relative to `cwd`, or else to the top of the repository. */
export function chooseAgent(name: string, cwd: string, { root, env }: Repository): ChosenAgent {
  const builtIn = builtInAgents.find((agent) => agent.name === name)
  if (builtIn) {
    if (findProgram(name, env.PATH) !== null) return { kind: 'built-in', name }
    throw new UserError(
      `${builtIn.title ?? name} is not installed: there is no ${name} on the PATH.`,
      `Install ${name}, or choose another agent.`,
    )
  }
  if (name.trim() !== '' && !name.includes('/')) {
    if (findProgram(name, env.PATH) !== null) return { kind: 'program', name: nameFor(name), command: [name] }
  }
  const file = [resolve(cwd, name), resolve(root, name)].find((path) => isFile(path))
  if (name.trim() === '' || file === undefined) throw unknown(name, env.PATH)
  return { kind: 'program', name: nameFor(file), command: commandFor(file, root, env.PATH) }
}

function commandFor(file: string, root: string, path: string | undefined): [string, ...string[]] {
  const written = fromTop(file, root)
  // The slash keeps the program from being searched on the PATH.
  if (findProgram(file, path) !== null) return [written.includes('/') ? written : `./${written}`]
  const wanted = interpretersByExtension[extname(file).toLowerCase()] ?? []
  const interpreter = wanted.find((program) => findProgram(program, path) !== null)
  if (interpreter !== undefined) return [interpreter, written]
  throw new UserError(
    wanted.length > 0
      ? `${written} needs ${wanted[0]}, which is not on the PATH.`
      : `${written} is not executable.`,
    wanted.length > 0
      ? `Install ${wanted[0]}, or choose another agent.`
      : `Make it executable: chmod +x ${JSON.stringify(written)}`,
  )
}

/** Makes a path inside the repository relative to it, so that the configuration works on every machine. */
function fromTop(file: string, root: string): string {
  const path = relative(root, file)
  return path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path) ? file : path
}

/** Makes a short name from a file name, without its extension. */
function nameFor(file: string): string {
  const word = basename(file, extname(file))
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '')
  return word === '' ? 'agent' : word.slice(0, 60)
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true
}

function unknown(name: string, path: string | undefined): UserError {
  if (name === 'acp' || name === 'scripted') {
    const needed = name === 'acp' ? 'the command that starts it' : 'a script'
    const example = name === 'acp' ? 'command: [gemini, --acp]' : 'script: plan.yaml'
    return new UserError(
      `An agent of kind ${name} needs ${needed}.`,
      `Define it in umpire.yaml, agents: { NAME: { agent: ${name}, ${example} } }, and set roles to that name.`,
    )
  }
  const names = (agents: readonly Agent[]) => agents.map((agent) => agent.name).join(', ')
  const meant = nearest(
    name,
    builtInAgents.map((agent) => agent.name),
  )
  const question = meant === null ? '' : `Did you mean ${meant}? `
  const installed = names(installedAgents(path)) || 'none of them'
  return new UserError(
    `There is no agent ${JSON.stringify(name)}.`,
    `${question}Give a program on the PATH, a file in the repository, or one of ${names(builtInAgents)} (installed here: ${installed}).`,
  )
}
