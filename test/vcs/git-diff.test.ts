import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { writeScript } from '../support/repository.ts'
import { type OpenLoop, openLoop } from './open-loop.ts'

const text = Array.from({ length: 30 }, (_, at) => `line ${at + 1}\n`).join('')

describe('a diff in git', () => {
  let loop: OpenLoop
  beforeEach(async () => {
    loop = await openLoop({ files: { 'a.txt': 'a\n', 'long.txt': text } })
  })
  afterEach(() => loop.remove())

  const diffOfAll = async () => loop.vcs.diff(loop.place, (await loop.commit()).tree)

  it('is empty for an unchanged tree', async () => {
    expect(await diffOfAll()).toEqual({ text: '', files: [], against: loop.place.baseCommit, cut: false })
  })

  it('shows a renamed file under its new name, with what changed in it', async () => {
    loop.git('mv', 'long.txt', 'moved to.txt')
    loop.write({ 'moved to.txt': text.replace('line 7\n', 'line seven\n') })
    const before = loop.git('rev-parse', 'HEAD^{tree}')
    const { files, text: shown } = await diffOfAll()
    expect(files).toEqual([{ path: 'moved to.txt', added: 1, removed: 1 }])
    expect(shown).toContain('rename from long.txt')
    const after = loop.git('rev-parse', 'HEAD^{tree}')
    expect(await loop.vcs.changedLines(before, after)).toEqual({ 'moved to.txt': [[7, 7]] })
  })

  it('names binary, deleted and oddly named files', async () => {
    loop.write({ 'data.bin': 'a\0b', 'tab\tand\nline.txt': 'x\n+++ b/evil.txt\n@@ -1 +1 @@\n' })
    rmSync(join(loop.path, 'a.txt'))
    const before = loop.git('rev-parse', 'HEAD^{tree}')
    const { files } = await diffOfAll()
    expect(files).toEqual([
      { path: 'a.txt', added: 0, removed: 1 },
      { path: 'data.bin', added: null, removed: null },
      { path: 'tab\tand\nline.txt', added: 3, removed: 0 },
    ])
    expect(await loop.vcs.changedLines(before, loop.git('rev-parse', 'HEAD^{tree}'))).toEqual({
      'a.txt': [[1, 1]],
      'data.bin': [],
      'tab\tand\nline.txt': [[1, 3]],
    })
  })

  it('is not fooled by lines of a file that look like a diff', async () => {
    const before = loop.git('rev-parse', 'HEAD^{tree}')
    loop.write({ 'a.txt': 'diff --git a/x b/x\n@@ -1 +900 @@\n--- a\n', 'z.txt': 'z\n' })
    await loop.commit()
    expect(await loop.vcs.changedLines(before, loop.git('rev-parse', 'HEAD^{tree}'))).toEqual({
      'a.txt': [[1, 3]],
      'z.txt': [[1, 1]],
    })
  })

  it('is against the newer base once the work has merged it', async () => {
    const newer = loop.repository.commit('Meanwhile', { 'other.txt': 'other\n' })
    loop.write({ 'a.txt': 'changed\n' })
    await loop.commit()
    loop.git('merge', '-q', '-m', 'Catch up', 'main')
    const { against, files } = await loop.vcs.diff(
      loop.place,
      'HEAD^{tree}'.replace('HEAD', loop.place.branch),
    )
    expect(against).toBe(newer)
    expect(files.map((file) => file.path)).toEqual(['a.txt'])
  })

  it('falls back to the recorded commit when the base branch is gone', async () => {
    loop.repository.git('branch', '-m', 'main', 'renamed')
    loop.write({ 'a.txt': 'changed\n' })
    const { against, files } = await diffOfAll()
    expect(against).toBe(loop.place.baseCommit)
    expect(files).toHaveLength(1)
  })

  it('is not changed by attributes, settings or replaced objects', async () => {
    const ran = join(loop.repository.folder, 'ran')
    const evil = join(loop.repository.folder, 'evil.sh')
    writeScript(evil, `touch ${ran}`)
    for (const key of ['diff.external', 'diff.evil.command', 'diff.evil.textconv'])
      loop.git('config', key, evil)
    loop.git('config', 'diff.noprefix', 'true')
    loop.git('config', 'color.ui', 'always')
    loop.write({
      '.gitattributes': '*.txt -diff\na.txt diff=evil\n',
      'a.txt': 'visible change\n',
      'b.txt': 'shown\n',
    })
    const done = await loop.commit()
    loop.git(
      'replace',
      loop.git('rev-parse', `${done.sha}:a.txt`),
      loop.git('rev-parse', `${loop.place.baseCommit}:a.txt`),
    )
    const { text: shown } = await loop.vcs.diff(loop.place, done.tree)
    expect(shown).toContain('diff --git a/a.txt b/a.txt\n')
    expect(shown).toContain('+visible change\n')
    expect(shown).toContain('+shown\n')
    expect(() => rmSync(ran)).toThrow('ENOENT')
  })

  it('is cut off at a size limit, says so, and still names all files', async () => {
    loop.write({ 'a-huge.txt': 'a line of a very long file\n'.repeat(2_600_000), 'z.txt': 'z\n' })
    const { text: shown, files, cut } = await diffOfAll()
    expect(cut).toBe(true)
    expect(shown.length).toBeLessThan(65 * 1024 * 1024)
    expect(shown.slice(-100)).toMatch(/\[The diff is longer than \d+ bytes and is cut off here\.\]\n$/)
    expect(files.map((file) => file.path)).toEqual(['a-huge.txt', 'z.txt'])
  })
})
