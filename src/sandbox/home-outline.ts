/**
 * What of a person's home folder an agent would have to change to do lasting harm, or by mistake: the names at its top,
 * the files among them that begin with a dot, and what ssh and git are told. Only names, sizes and times; nothing is read.
 */
import { lstatSync, readdirSync, type Stats } from 'node:fs'
import { join } from 'node:path'

/** Looked into. Everything else that is a folder is only known by its name. */
const folders = ['.ssh', join('.config', 'git')]

/** Written by mere use of a shell, an editor or the network. */
const passing =
  /(_history|^\.(lesshst|viminfo|wget-hsts|zcompdump.*|[xX]session-errors.*|ICEauthority|Xauthority|python_history.*|bash_sessions))$|^known_hosts(\.old)?$/

/** Made by the first program that keeps something of its own there, which tells nothing. */
const shared = ['.cache', '.config', '.local', '.npm']

function isSharedFolder(home: string, name: string): boolean {
  return (
    shared.includes(name) && lstatSync(join(home, name), { throwIfNoEntry: false })?.isDirectory() === true
  )
}

/** More than anybody has; what is beyond is not told apart. */
const most = 2000

/** `own`: names with which the agents' own files begin. */
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

/** A folder's time changes with every file that is made in it, which may be anybody's. */
function describe(path: string): string {
  const stat: Stats | undefined = lstatSync(path, { throwIfNoEntry: false })
  return stat?.isFile() ? `${stat.size} ${stat.mtimeMs} ${stat.mode}` : 'there'
}
