/** Proposes a configuration from the files of a checkout. It is pure: the caller has read the files before. */
import { detectDotnet, detectGo, detectJava, detectRust } from './java-go-rust-dotnet.ts'
import { detectJavaScript } from './javascript.ts'
import { findLocalFiles } from './local-files.ts'
import { detectPython } from './python.ts'
import { detectPhp, detectRuby } from './ruby-and-php.ts'
import {
  type DetectToolchain,
  firstOf,
  type ProjectFiles,
  type Toolchain,
  textOf,
  toolchain,
  within,
} from './toolchain.ts'

export interface Proposal {
  /** The toolchains that were found, one per line: `JavaScript (npm)`. */
  found: string[]
  /** In the order in which they run. */
  gates: { name: string; command: string }[]
  worktree: { setup: string[]; copy: string[]; link: string[] }
  /** Programs that the commands need. */
  needs: string[]
  /** Folders that the set-up fills and git does not ignore. */
  unignored: string[]
}

/** The order of the gates in a project with several languages. */
const languages: DetectToolchain[] = [
  ...[detectJavaScript, detectPython, detectGo, detectRust],
  ...[detectJava, detectRuby, detectPhp, detectDotnet],
]

export function propose(project: ProjectFiles): Proposal {
  const parts = findParts(project)
  return {
    found: parts.map(({ title }) => title),
    gates: [...nameGates(parts, 'test'), ...nameGates(parts, 'lint')],
    worktree: {
      setup: [...submoduleSetup(project), ...parts.flatMap(({ setup }) => setup)],
      copy: findLocalFiles(project.untracked),
      link: parts.flatMap(({ link }) => link),
    },
    needs: [...new Set(parts.flatMap(({ needs }) => needs))],
    unignored: parts.flatMap(({ fills }) => (fills !== null && !project.ignored.has(fills) ? [fills] : [])),
  }
}

/** In a new checkout the folders of submodules are empty. */
export const submoduleCommand = 'git submodule update --init --recursive'

function submoduleSetup({ names }: ProjectFiles): string[] {
  return names.has('.gitmodules') ? [submoduleCommand] : []
}

function findParts(project: ProjectFiles): Toolchain[] {
  const atTop = detectAll(project, languages)
  if (atTop.length > 0) return atTop
  const below = foldersOf(project).flatMap((folder) =>
    detectAll(within(project, folder), languages).map((found) => inFolder(found, folder)),
  )
  return below.length > 0 ? below : detectAll(project, [detectMakefile])
}

function detectAll(project: ProjectFiles, detectors: DetectToolchain[]): Toolchain[] {
  return detectors.flatMap((detect) => detect(project) ?? [])
}

/** Only folders with plain names, because they become part of a command line. Examples and fixtures don't count. */
function foldersOf({ names }: ProjectFiles): string[] {
  const folders = new Set([...names].flatMap((name) => /^([A-Za-z][\w-]*)\//.exec(name)?.[1] ?? []))
  const others = /^(docs?|examples?|samples?|fixtures?|tests?|spec|scripts?|tools?|vendor|third_party)$/i
  return [...folders].filter((folder) => !others.test(folder)).sort()
}

function inFolder(found: Toolchain, folder: string): Toolchain {
  const there = (command: string) => `cd ${folder} && ${command}`
  return {
    ...found,
    language: folder,
    title: `${found.title} in ${folder}`,
    test: found.test && there(found.test),
    lint: found.lint && there(found.lint),
    setup: found.setup.map(there),
    link: found.link.map((path) => `${folder}/${path}`),
    fills: found.fills && `${folder}/${found.fills}`,
  }
}

/** The first gate gets the plain name, because a reviewer is shown that one's output. Others get their language added. */
function nameGates(parts: Toolchain[], kind: 'test' | 'lint'): Proposal['gates'] {
  const gates: Proposal['gates'] = []
  for (const part of parts) {
    const command = part[kind]
    if (command === null) continue
    const wanted = gates.length === 0 ? kind : `${kind}-${part.language}`
    const taken = gates.filter(({ name }) => name === wanted || name.startsWith(`${wanted}-`)).length
    gates.push({ name: taken === 0 ? wanted : `${wanted}-${taken + 1}`, command })
  }
  return gates
}

/** Any other project with a makefile that says how it is tested. */
const detectMakefile: DetectToolchain = (project) => {
  const file = firstOf(project, 'GNUmakefile', 'makefile', 'Makefile')
  if (file === null) return null
  const target = (...names: string[]) => {
    const found = names.find((name) => new RegExp(`^${name}\\s*:(?!=)`, 'm').test(textOf(project, file)))
    return found ? `make ${found}` : null
  }
  const test = target('test', 'check')
  const lint = target('lint')
  if (test === null && lint === null) return null
  return toolchain({ language: 'make', title: 'make', test, lint, needs: ['make'] })
}
