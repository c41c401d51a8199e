/**
 * What the file names of a project, and the few files that say how it is built, tell about it. Umpire runs nothing of the
 * project here, and no text of the project becomes part of a command. It only decides which command Umpire proposes.
 */
export interface ProjectFiles {
  /** The paths of all files that git tracks or would track, relative to the top. */
  names: ReadonlySet<string>
  /** The texts of those files that `isTelling` picks. */
  texts: ReadonlyMap<string, string>
  /** The paths that git does not track, ignored or not. A folder that is ignored as a whole ends in a slash. */
  untracked: readonly string[]
  /** Those of `filledFolders` that git ignores, at the top and one folder below. */
  ignored: ReadonlySet<string>
}

/** Folders that a set-up fills. If git does not ignore such a folder, it would end up in a commit. */
export const filledFolders = ['node_modules', '.venv', 'venv', 'vendor'] as const

const telling =
  /^(package\.json|pyproject\.toml|setup\.(py|cfg)|tox\.ini|Pipfile|(.+[-_])?requirements([-_].+)?\.txt|Gemfile|Rakefile|composer\.json|pom\.xml|build\.gradle(\.kts)?|Cargo\.toml|GNUmakefile|[Mm]akefile)$/

/** Whether the text of a file matters, because it says how the project or one of its direct subfolders is built. */
export function isTelling(path: string): boolean {
  const steps = path.split('/')
  const name = steps.at(-1) ?? ''
  if (steps.length <= 3 && steps.at(-2) === 'requirements' && name.endsWith('.txt')) return true
  return steps.length <= 2 && telling.test(name)
}

export function textOf({ texts }: ProjectFiles, name: string): string {
  return texts.get(name) ?? ''
}

/** The first of these files that exists. */
export function firstOf({ names }: ProjectFiles, ...candidates: string[]): string | null {
  return candidates.find((name) => names.has(name)) ?? null
}

export function hasAny(project: ProjectFiles, ...candidates: string[]): boolean {
  return firstOf(project, ...candidates) !== null
}

/** Whether a file exists whose whole path matches the pattern. */
export function hasLike({ names }: ProjectFiles, pattern: RegExp): boolean {
  for (const name of names) if (pattern.test(name)) return true
  return false
}

/** The same project, seen from one of its folders as if that were the top. */
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

/** How the part of a project in one language is set up, tested and checked. */
export interface Toolchain {
  /** A word for the names of gates: `test-python`. */
  language: string
  /** The name that a person sees: `JavaScript (npm)`. */
  title: string
  test: string | null
  lint: string | null
  /** Commands that a fresh checkout needs first. */
  setup: string[]
  /** Folders that are linked from the person's checkout, because an install could not reproduce them. */
  link: string[]
  /** Programs that the commands above need. */
  needs: string[]
  /** The folder that the set-up fills, if it is in the checkout. */
  fills: string | null
}

/** Null if the project has nothing in this language. */
export type DetectToolchain = (project: ProjectFiles) => Toolchain | null

/** Fills in defaults, because most languages need only some of the fields. */
export function toolchain(found: Pick<Toolchain, 'language' | 'title'> & Partial<Toolchain>): Toolchain {
  return { test: null, lint: null, setup: [], link: [], needs: [], fills: null, ...found }
}
