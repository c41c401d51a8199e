/** File systems for one test: small ones that can be filled up, and ones that can be made read-only. */
import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  rmdirSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach } from 'vitest'
// Imported for its hook. The hook below is registered later and so runs first, while the bench's folder still exists.
import './umpire.ts'

export interface SmallDisk {
  /** Fills the disk, leaving this many kilobytes free. Default: none. */
  fill(freeKilobytes?: number): void
  /** Frees the space again. */
  free(): void
  /** Makes it read-only, or writable again. */
  remount(how: 'ro' | 'rw'): void
}

/** Why there can be no such disk here, or null. For `test.skipIf`. */
export const noDisks = whyNoDisks()

const mounted = new Set<string>()

/** Mounts a disk of this many megabytes on a folder, with the folder's contents. */
export function mountUnder(folder: string, megabytes: number): SmallDisk {
  const before = mkdtempSync(join(tmpdir(), 'umpire-disk-'))
  cpSync(folder, before, { recursive: true, preserveTimestamps: true })
  mount('-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0755`, 'tmpfs', folder)
  mounted.add(folder)
  cpSync(before, folder, { recursive: true, preserveTimestamps: true })
  rmSync(before, { recursive: true })
  const ballast = join(folder, existsSync(join(folder, '.git')) ? '.git/ballast' : '.ballast')
  return {
    fill(freeKilobytes = 0) {
      // A file system's report of free space is not exact, so write until it refuses.
      for (const size of [1024 * 1024, 4096]) {
        try {
          for (;;) appendFileSync(ballast, Buffer.alloc(size))
        } catch {}
      }
      truncateSync(ballast, Math.max(0, statSync(ballast).size - freeKilobytes * 1024))
    },
    free: () => rmSync(ballast, { force: true }),
    remount: (how) => mount('-o', `remount,${how}`, folder),
  }
}

function mount(...args: string[]): void {
  execFileSync('mount', args, { stdio: 'pipe' })
}

function whyNoDisks(): string | null {
  const folder = mkdtempSync(join(tmpdir(), 'umpire-disk-'))
  try {
    mount('-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder)
    execFileSync('umount', [folder])
    return null
  } catch {
    return 'mounting a file system is not permitted here'
  } finally {
    rmdirSync(folder)
  }
}

// Lazy unmount, because a keeper may just be exiting.
afterEach(() => {
  for (const folder of mounted) execFileSync('umount', ['-l', folder])
  mounted.clear()
})
