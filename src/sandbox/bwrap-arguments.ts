/**
 * What is passed to bubblewrap. Pure: all paths were looked up before, and are free of symbolic links, because a mount
 * on a link would be made somewhere else.
 */
import { relative, sep } from 'node:path'

export interface Box {
  cwd: string
  writable: string[]
  /** Read-only, though inside something writable. */
  kept: string[]
  /** Folders for temporary files: empty, private and gone afterwards. */
  temporary: string[]
  /** What must be there although it lies in a temporary folder. */
  needed: string[]
  isRoot: boolean
  /** With a network of its own in which there is nothing. */
  offline?: boolean
}

/**
 * Rights that root keeps: those by which it works with files of other users, and the one without which it could not
 * make a sandbox within this one. All others are dropped; with some of them it could mount its way out.
 */
const rightsOfRoot = ['CAP_CHOWN', 'CAP_DAC_OVERRIDE', 'CAP_FOWNER', 'CAP_SETFCAP']

/**
 * The order matters, because later mounts lie over earlier ones. There is no `--die-with-parent`: by it the first SIGTERM,
 * which reaches bubblewrap, too, would kill the agent at once instead of asking it. Nothing gets away without it,
 * because every process inside descends from one that carries the attempt's mark and takes all others with it.
 */
export function bwrapArguments({ cwd, writable, kept, temporary, needed, isRoot, offline }: Box): string[] {
  return [
    ...['--cap-drop', 'ALL'],
    ...(isRoot ? rightsOfRoot.flatMap((right) => ['--cap-add', right]) : []),
    '--unshare-pid',
    ...(offline ? ['--unshare-net'] : []),
    ...['--ro-bind', '/', '/'],
    ...['--dev', '/dev', '--proc', '/proc'],
    ...outermostFirst(temporary).flatMap((folder) => [
      ...['--tmpfs', folder],
      ...entriesHolding(needed, folder).flatMap((entry) => ['--ro-bind-try', entry, entry]),
    ]),
    ...outermostFirst(writable).flatMap((path) => ['--bind-try', path, path]),
    ...outermostFirst(kept).flatMap((path) => ['--ro-bind-try', path, path]),
    ...['--chdir', cwd, '--'],
  ]
}

/** The entries of the folder in which, however deep, the paths lie. */
export function entriesHolding(paths: string[], folder: string): string[] {
  const entries = paths
    .map((path) => relative(folder, path))
    .filter((path) => path !== '' && path !== '..' && !path.startsWith(`..${sep}`))
    .map((path) => `${folder}${sep}${path.split(sep)[0]}`)
  return [...new Set(entries)]
}

function outermostFirst(paths: string[]): string[] {
  return [...new Set(paths)].sort((one, other) => one.length - other.length || (one < other ? -1 : 1))
}
