import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'

/** Finds a program as a shell would; null if there is none. */
export function findProgram(program: string, path: string | undefined): string | null {
  if (isAbsolute(program)) return isProgram(program) ? program : null
  const folders = (path ?? '').split(delimiter).filter((folder) => folder !== '')
  return folders.map((folder) => join(folder, program)).find(isProgram) ?? null
}

function isProgram(path: string): boolean {
  if (!existsSync(path) || !statSync(path).isFile()) return false
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
