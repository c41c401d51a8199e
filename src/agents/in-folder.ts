/**
 * Runs a program in a different folder than the one it is given. Some programs load settings, plugins and hooks from
 * their working directory, so they must not start in a tree with untrusted files. The shell gets the folder and the
 * arguments as values, never as code.
 */
export function inFolder(folder: string, argv: string[]): [string, ...string[]] {
  return ['sh', '-c', 'cd "$0" && exec "$@"', folder, ...argv]
}

/**
 * The minimum that git accepts as a repository. Programs that search upwards for a repository, and load files on the
 * way, stop at the run's folder instead of at the checkout around it.
 */
export const emptyRepository: Record<string, string> = {
  '.git/HEAD': 'ref: refs/heads/main\n',
  '.git/objects/empty': '',
  '.git/refs/empty': '',
}
