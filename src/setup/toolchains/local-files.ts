/**
 * Files that are on purpose not in the repository, and without which the project does not run: settings and keys for
 * this machine. A worktree does not have them, so they are copied.
 */
const localNames = [
  /^\.env(\.[\w.-]+)?$/,
  /^(master|[\w-]+\.local)\.key$/,
  /^local\.properties$/,
  /^appsettings\.(Development|Local)\.json$/,
  /^\.npmrc$/,
]

/** What an editor or a person left beside them. */
const leftBehind = /(~|\.(swp|swo|bak|orig|tmp|example|sample|template|dist|vault))$/

/** More than a person would want to read through. */
const mostFiles = 10

/** Names that would have to be explained in a configuration file are left to the person. */
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
