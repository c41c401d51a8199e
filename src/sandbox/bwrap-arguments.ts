/**
 * The arguments for bubblewrap. Pure: all paths were resolved before and contain no symbolic links, because a mount on
 * a link would end up somewhere else.
 */
import { relative, sep } from 'node:path'

export interface Box {
  cwd: string
  writable: string[]
  /** Read-only, though inside something writable. */
  kept: string[]
  /** Folders for temporary files: empty, private and gone afterwards. */
  temporary: string[]
  /** Paths that must exist although they are in a temporary folder. */
  needed: string[]
  isRoot: boolean
  /** With its own, empty network. */
  offline?: boolean
}

/**
 * Capabilities that root keeps: those for working with other users' files, and the one for creating a nested sandbox.
 * All others are dropped, because some of them would let root mount its way out.
 */
const rightsOfRoot = ['CAP_CHOWN', 'CAP_DAC_OVERRIDE', 'CAP_FOWNER', 'CAP_SETFCAP']

/**
 * The order matters, because later mounts cover earlier ones. There is no `--die-with-parent`: the first SIGTERM also
 * reaches bubblewrap, and with that flag it would kill the agent at once instead of asking it. Nothing escapes without
 * the flag, because every process inside descends from one with the attempt's mark.
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
