import { propose } from '../../src/setup/toolchains/propose.ts'
import { isTelling, type ProjectFiles } from '../../src/setup/toolchains/toolchain.ts'

/** A project of these files, contents by path. Untracked ones are given apart, as git lists them. */
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

/** What is proposed for such a project, as short as a test wants to read it. */
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
