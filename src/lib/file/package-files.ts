import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of this package. Works from the source tree as well as from the bundle. */
export function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder)
    if (parent === folder) throw new Error(`no package.json above ${fileURLToPath(import.meta.url)}`)
    folder = parent
  }
  return folder
}

/** A file that the build puts next to the bundle. */
export function packageFile(name: string): string {
  return join(packageRoot(), 'dist', name)
}
