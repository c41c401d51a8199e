import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createAtomically, writeAtomically } from '../../src/lib/file/write-atomically.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'umpire-write-'))
})
afterEach(async () => {
  await rm(folder, { recursive: true, force: true })
})

describe('writing a file atomically', () => {
  it('replaces the file and leaves no other file next to it', async () => {
    const path = join(folder, 'file')
    await writeFile(path, 'old')
    await writeAtomically(path, 'new')
    expect(await readFile(path, 'utf8')).toBe('new')
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(await readdir(folder)).toEqual(['file'])
  })

  it('leaves nothing behind when it fails', async () => {
    await mkdir(join(folder, 'taken/inside'), { recursive: true })
    await expect(writeAtomically(join(folder, 'taken'), 'x')).rejects.toThrow()
    expect(await readdir(folder)).toEqual(['taken'])
  })

  it('succeeds for only one of many writers that create the same file', async () => {
    const path = join(folder, 'file')
    const outcomes = await Promise.all([1, 2, 3, 4, 5].map((n) => createAtomically(path, `${n}`)))
    expect(outcomes.filter((outcome) => outcome === 'created')).toHaveLength(1)
    expect(await readFile(path, 'utf8')).toBe(`${outcomes.indexOf('created') + 1}`)
    expect(await readdir(folder)).toEqual(['file'])
  })
})
