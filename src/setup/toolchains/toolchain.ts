import type { ProjectFiles } from './project-files.ts'

/** How the part of a project that is written in one language is made ready, tested and checked. */
export interface Toolchain {
  /** A word for the names of gates: `test-python`. */
  language: string
  /** For the person: `JavaScript (npm)`. */
  title: string
  test: string | null
  lint: string | null
  /** Commands that a fresh checkout needs first. */
  setup: string[]
  /** What is shared with the person's checkout instead, because it could not be made the same again. */
  link: string[]
  /** Programs that must be there for the commands above. */
  needs: string[]
  /** The folder that the set-up fills, when it is in the checkout. */
  fills: string | null
}

/** Null when nothing of this language is there. */
export type DetectToolchain = (project: ProjectFiles) => Toolchain | null

/** Most languages need only a part of it. */
export function toolchain(found: Pick<Toolchain, 'language' | 'title'> & Partial<Toolchain>): Toolchain {
  return { test: null, lint: null, setup: [], link: [], needs: [], fills: null, ...found }
}
