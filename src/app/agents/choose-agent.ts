/** From what a person calls an agent to how it is written down: a built-in one, or a program of this machine. */
import { statSync } from 'node:fs'
import { basename, extname, isAbsolute, relative, resolve, sep } from 'node:path'
import type { Agent } from '../../agents/agent.ts'
import { builtInAgents } from '../../agents/built-in.ts'
import { nearest } from '../../config/yaml/nearest.ts'
import { UserError } from '../../core/errors.ts'
import type { ChosenAgent } from '../../setup/draft.ts'
import type { Repository } from '../repository.ts'
import { findProgram } from './find-program.ts'

/** What a file that can't be run by itself is run with; the first that is there. */
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

/** The built-in agents whose program is on the PATH; each is called as its program is. */
export function installedAgents(path: string | undefined): Agent[] {
  return builtInAgents.filter(({ name }) => findProgram(name, path) !== null)
}

/** What somebody does about having no agent at all. */
export function toInstall(or: string): string {
  const names = builtInAgents.map(({ name }) => name)
  return `Install one of ${names.join(', ')}, or ${or}`
}

/** UserError when it is neither. A path is meant from `cwd`, or else from the top of the repository. */
export function chooseAgent(name: string, cwd: string, { root, env }: Repository): ChosenAgent {
  const builtIn = builtInAgents.find((agent) => agent.name === name)
  if (builtIn) {
    if (findProgram(name, env.PATH) !== null) return { kind: 'built-in', name }
    throw new UserError(
      `${builtIn.title ?? name} is not installed: there is no ${name} on the PATH.`,
      `Install ${name}, or name another agent.`,
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
  // With a slash in it, so that it is not looked for on the PATH.
  if (findProgram(file, path) !== null) return [written.includes('/') ? written : `./${written}`]
  const wanted = interpretersByExtension[extname(file).toLowerCase()] ?? []
  const interpreter = wanted.find((program) => findProgram(program, path) !== null)
  if (interpreter !== undefined) return [interpreter, written]
  throw new UserError(
    wanted.length > 0
      ? `${written} is a file for ${wanted[0]}, which is not on the PATH.`
      : `${written} is no program: it is not executable.`,
    wanted.length > 0
      ? `Install ${wanted[0]}, or name another agent.`
      : `Make it one: chmod +x ${JSON.stringify(written)}`,
  )
}

/** Relative to the repository where it is inside, so that the file means the same to everybody. */
function fromTop(file: string, root: string): string {
  const path = relative(root, file)
  return path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path) ? file : path
}

/** A short word without the extension. */
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
      `An agent of the kind ${name} needs ${needed}.`,
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
    `${question}Name a program on the PATH, a file of the repository, or one of ${names(builtInAgents)} (installed here: ${installed}).`,
  )
}
