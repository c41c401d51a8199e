import { execFileSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readRegular } from '../../src/lib/file/read-regular.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'umpire-regular-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

describe('reading a file in a folder that others can write to', () => {
  it('returns a short file, and of a longer one nothing or its beginning', async () => {
    const path = join(folder, 'file')
    await writeFile(path, '12345')
    expect(await readRegular(path, 5)).toBe('12345')
    expect(await readRegular(path, 4)).toBe(null)
    expect(await readRegular(path, 4, 'beginning')).toBe('1234')
  })

  it('reads only up to the limit of a huge file', async () => {
    const path = join(folder, 'sparse')
    await writeFile(path, 'x')
    await truncate(path, 2 ** 40)
    expect((await readRegular(path, 100_000, 'beginning'))?.length).toBe(100_000)
  })

  it('never waits for a pipe and never follows a link', async () => {
    execFileSync('mkfifo', [join(folder, 'pipe')])
    await writeFile(join(folder, 'file'), 'here')
    await symlink(join(folder, 'file'), join(folder, 'link'))
    await mkdir(join(folder, 'folder'))
    for (const name of ['pipe', 'link', 'folder', 'absent', 'file/below'])
      expect(await readRegular(join(folder, name), 100), name).toBe(null)
    expect(await readRegular('/dev/zero', 100)).toBe(null)
  })

  it('treats a file without read permission as missing', async () => {
    const path = join(folder, 'closed')
    await writeFile(path, 'x')
    await chmod(path, 0)
    // Root can read every file.
    expect(await readRegular(path, 100)).toBe(process.getuid?.() === 0 ? 'x' : null)
  })
})
