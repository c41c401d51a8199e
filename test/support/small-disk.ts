/** File systems of a test's own: small ones that can be filled up, and ones that can be made read-only. */
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
// For its hook: the one below is registered after it and so run before it, while the bench's folder is still there.
import './umpire.ts'

export interface SmallDisk {
  /** Leaves so many kilobytes free, none when left out. */
  fill(freeKilobytes?: number): void
  /** Makes room again. */
  free(): void
  /** No more writing, or writing again. */
  remount(how: 'ro' | 'rw'): void
}

/** Why there can be no such disk here, or null. For `test.skipIf`. */
export const noDisks = whyNoDisks()

const mounted = new Set<string>()

/** Puts a disk of so many megabytes under a folder, with what the folder holds. */
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
      // What a file system says of its free space is not exact, so it is written to until it refuses.
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

// Lazily, because a keeper may just be leaving.
afterEach(() => {
  for (const folder of mounted) execFileSync('umount', ['-l', folder])
  mounted.clear()
})
