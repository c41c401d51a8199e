import type { ProjectFiles } from './project-files.ts'

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
