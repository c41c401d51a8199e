import { propose } from '../../src/setup/toolchains/propose.ts'
import { isTelling, type ProjectFiles } from '../../src/setup/toolchains/toolchain.ts'

/** A project of these files, with contents by path. Untracked files are a separate list, as in git's output. */
export function projectOf(
  files: Record<string, string> | string[],
  more: { untracked?: string[]; ignored?: string[] } = {},
): ProjectFiles {
  const contents = Array.isArray(files) ? Object.fromEntries(files.map((name) => [name, ''])) : files
  return {
    names: new Set(Object.keys(contents)),
    texts: new Map(Object.entries(contents).filter(([name]) => isTelling(name))),
    untracked: more.untracked ?? [],
    ignored: new Set(more.ignored ?? ['node_modules', '.venv', 'vendor']),
  }
}

/** The proposal for such a project, in a short form for assertions. */
export function proposed(...given: Parameters<typeof projectOf>) {
  const { found, gates, worktree, needs, unignored } = propose(projectOf(...given))
  return {
    found,
    gates: Object.fromEntries(gates.map(({ name, command }) => [name, command])),
    ...worktree,
    needs,
    unignored,
  }
}
