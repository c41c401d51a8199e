/**
 * Every test starts from the same environment: no settings of the person who runs it, no session around it, and no
 * unreadable folder on the PATH. With such a folder, the system reports a missing program as one that may not be run.
 */
import { accessSync, constants } from 'node:fs'
import { delimiter } from 'node:path'

for (const name of Object.keys(process.env)) {
  if (name.startsWith('GIT_') || name.startsWith('UMPIRE_')) delete process.env[name]
}
process.env.GIT_CONFIG_GLOBAL = '/dev/null'
process.env.GIT_CONFIG_NOSYSTEM = '1'
process.env.XDG_CONFIG_HOME = '/nonexistent'
process.env.PATH = (process.env.PATH ?? '').split(delimiter).filter(canBeSearched).join(delimiter)

function canBeSearched(folder: string): boolean {
  try {
    accessSync(folder, constants.X_OK)
    return true
  } catch {
    return false
  }
}
