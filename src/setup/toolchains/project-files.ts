/**
 * A project as far as its file names and the few files that say how it is built tell about it. Nothing of it is run,
 * and nothing that it says becomes part of a command: it only decides which of our own commands is proposed.
 */
export interface ProjectFiles {
  /** Paths from the top of all files that git tracks or would track. */
  names: ReadonlySet<string>
  /** What stands in those of them that `isTelling` picks. */
  texts: ReadonlyMap<string, string>
  /** What git does not track, ignored or not; a folder that is ignored as a whole ends in a slash. */
  untracked: readonly string[]
  /** Those of `filledFolders` that git ignores, here and in the folders right below. */
  ignored: ReadonlySet<string>
}

/** What a set-up fills. One that git does not ignore would end up in a commit. */
export const filledFolders = ['node_modules', '.venv', 'venv', 'vendor'] as const

const telling =
  /^(package\.json|pyproject\.toml|setup\.(py|cfg)|tox\.ini|Pipfile|(.+[-_])?requirements([-_].+)?\.txt|Gemfile|Rakefile|composer\.json|pom\.xml|build\.gradle(\.kts)?|Cargo\.toml|GNUmakefile|[Mm]akefile)$/

/** Whether the text of a file matters: of one that says how the project, or a folder right below, is built. */
export function isTelling(path: string): boolean {
  const steps = path.split('/')
  const name = steps.at(-1) ?? ''
  if (steps.length <= 3 && steps.at(-2) === 'requirements' && name.endsWith('.txt')) return true
  return steps.length <= 2 && telling.test(name)
}

export function textOf({ texts }: ProjectFiles, name: string): string {
  return texts.get(name) ?? ''
}

/** The first of these that is there. */
export function firstOf({ names }: ProjectFiles, ...candidates: string[]): string | null {
  return candidates.find((name) => names.has(name)) ?? null
}

export function hasAny(project: ProjectFiles, ...candidates: string[]): boolean {
  return firstOf(project, ...candidates) !== null
}

/** Whether a file of this pattern is there; the pattern is held against the whole path. */
export function hasLike({ names }: ProjectFiles, pattern: RegExp): boolean {
  for (const name of names) if (pattern.test(name)) return true
  return false
}

/** The same project seen from a folder of it, as if that were the top. */
export function within(project: ProjectFiles, folder: string): ProjectFiles {
  const inside = (paths: Iterable<string>) =>
    [...paths].flatMap((path) => (path.startsWith(`${folder}/`) ? [path.slice(folder.length + 1)] : []))
  return {
    names: new Set(inside(project.names)),
    texts: new Map(inside(project.texts.keys()).map((name) => [name, textOf(project, `${folder}/${name}`)])),
    untracked: inside(project.untracked),
    ignored: new Set(inside(project.ignored)),
  }
}
