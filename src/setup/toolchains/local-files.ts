/**
 * Files that are deliberately not in the repository, but that the project needs to run: settings and keys for this
 * machine. A new worktree does not have them, so they are copied.
 */
const localNames = [
  /^\.env(\.[\w.-]+)?$/,
  /^(master|[\w-]+\.local)\.key$/,
  /^local\.properties$/,
  /^appsettings\.(Development|Local)\.json$/,
  /^\.npmrc$/,
]

/** Backups and examples that an editor or a person left next to such files. */
const leftBehind = /(~|\.(swp|swo|bak|orig|tmp|example|sample|template|dist|vault))$/

/** A person would not want to read a longer list. */
const mostFiles = 10

/** Paths that would need quoting in a configuration file are left to the person. */
const plainPath = /^[\w.@+-]+(\/[\w.@+-]+){0,3}$/

const outOfBounds = /^(\.{1,2}|\.git|\.umpire)$/i

export function findLocalFiles(untracked: readonly string[]): string[] {
  return untracked
    .filter((path) => plainPath.test(path) && !path.split('/').some((step) => outOfBounds.test(step)))
    .filter((path) => {
      const name = path.split('/').at(-1) ?? ''
      return !leftBehind.test(name) && localNames.some((pattern) => pattern.test(name))
    })
    .sort()
    .slice(0, mostFiles)
}
