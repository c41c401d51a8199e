import { lstat } from 'node:fs/promises'

/** Whether anything has this name: also a symbolic link that leads nowhere. */
export function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  )
}
