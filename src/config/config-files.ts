/** Where the configuration is read from. */
import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'

export interface ConfigPlaces {
  /** The checkout in which Umpire was started. */
  root: string
  /** The folder of the user's `config.yaml`; by default `umpire` in `$XDG_CONFIG_HOME` or `~/.config`. */
  home?: string
  env?: Record<string, string | undefined>
}

/** The folder of a project's own prompts, relative to the top of the checkout. */
export const promptsFolder = 'umpire/prompts'

/** The configuration files. Later ones override earlier ones. */
export function layerFiles({ root, home, env = process.env }: ConfigPlaces): string[] {
  const top = resolve(root)
  return [
    join(home ?? userFolder(env), 'config.yaml'),
    join(top, 'umpire.yaml'),
    join(top, 'umpire.local.yaml'),
  ]
}

/** The configuration files and the folder of the project's prompts. */
export function configFiles(places: ConfigPlaces): string[] {
  return [...layerFiles(places), join(resolve(places.root), promptsFolder)]
}

function userFolder(env: Record<string, string | undefined>): string {
  const configured = env.XDG_CONFIG_HOME
  // The XDG specification says to ignore a relative path here.
  if (configured && isAbsolute(configured)) return join(configured, 'umpire')
  return join(env.HOME || homedir(), '.config', 'umpire')
}
