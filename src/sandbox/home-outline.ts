/**
 * The parts of a user's home folder that an agent would change to do lasting harm, or by mistake: the names at its top,
 * the dotfiles among them, and the settings of ssh and git. Only names, sizes and times are used. No file is read.
 */
import { lstatSync, readdirSync, type Stats } from 'node:fs'
import { join } from 'node:path'

/** These folders are searched. All other folders are known only by name. */
const folders = ['.ssh', join('.config', 'git')]

/** Written by ordinary use of a shell, an editor or the network. */
const passing =
  /(_history|^\.(lesshst|viminfo|wget-hsts|zcompdump.*|[xX]session-errors.*|ICEauthority|Xauthority|python_history.*|bash_sessions))$|^known_hosts(\.old)?$/

/** Created by the first program that stores something there, so their appearance means nothing. */
const shared = ['.cache', '.config', '.local', '.npm']

function isSharedFolder(home: string, name: string): boolean {
  return (
    shared.includes(name) && lstatSync(join(home, name), { throwIfNoEntry: false })?.isDirectory() === true
  )
}

/** More than any user has. Entries beyond this are not compared. */
const most = 2000

/** `own`: prefixes of the names of the agents' own files. */
export function outlineHome(home: string | undefined, own: string[]): Record<string, string> {
  if (!home) return {}
  const isOwn = (name: string) => own.some((prefix) => name.startsWith(prefix))
  const top = namesIn(home)
    .filter((name) => !passing.test(name) && !isOwn(name) && !isSharedFolder(home, name))
    .map((name) => [name, name.startsWith('.') ? describe(join(home, name)) : 'there'] as const)
  const within = folders.flatMap((folder) =>
    namesIn(join(home, folder))
      .filter((name) => !passing.test(name))
      .map((name) => [join(folder, name), describe(join(home, folder, name))] as const),
  )
  return Object.fromEntries([...top, ...within])
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort().slice(0, most)
  } catch {
    return []
  }
}

/** A folder's time changes with every file that any program creates in it. */
function describe(path: string): string {
  const stat: Stats | undefined = lstatSync(path, { throwIfNoEntry: false })
  return stat?.isFile() ? `${stat.size} ${stat.mtimeMs} ${stat.mode}` : 'there'
}
