/**
 * Runs a program in another folder than the one it is given. Programs that take settings, plugins and hooks from where
 * they stand must not stand in a tree that somebody else wrote. The shell sees the folder and the arguments as values,
 * never as code.
 */
export function inFolder(folder: string, argv: string[]): [string, ...string[]] {
  return ['sh', '-c', 'cd "$0" && exec "$@"', folder, ...argv]
}

/**
 * The least that git takes for a repository. Programs that look upwards for one, and for what lies on the way, stop at
 * the run's folder with it instead of at the checkout around it.
 */
export const emptyRepository: Record<string, string> = {
  '.git/HEAD': 'ref: refs/heads/main\n',
  '.git/objects/empty': '',
  '.git/refs/empty': '',
}
