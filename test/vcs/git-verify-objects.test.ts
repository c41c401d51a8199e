/** Developers can write to the shared object store. Objects that changed there after their approval do not land. */
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Landing, openLanding, type Work } from './open-landing.ts'

let landing: Landing
let one: Work
let main: string
beforeEach(async () => {
  landing = openLanding()
  one = await landing.work(1, { 'one.txt': 'good\n', 'deep/two.txt': '2\n' })
  main = landing.repository.git('rev-parse', 'main')
})
afterEach(() => landing.remove())

/** Stores different content under the name of an object. */
function forge(revision: string, type: string, content: (was: Buffer) => Buffer | string): string {
  const { git, root } = landing.repository
  const name = git('rev-parse', revision)
  const file = join(root, '.git/objects', name.slice(0, 2), name.slice(2))
  const body = Buffer.from(content(Buffer.from(git('cat-file', type, name))))
  chmodSync(file, 0o644)
  writeFileSync(file, deflateSync(Buffer.concat([Buffer.from(`${type} ${body.length}\0`), body])))
  return name
}

const untouched = () => {
  expect(landing.repository.git('rev-parse', 'main')).toBe(main)
  expect(existsSync(join(landing.repository.root, 'one.txt'))).toBe(false)
  expect(existsSync(join(landing.repository.home, 'scratch', one.name))).toBe(false)
}

test.each<[string, () => string]>([
  ['file', () => forge(`${one.head}:one.txt`, 'blob', () => 'evil\n')],
  ['file in a folder', () => forge(`${one.head}:deep/two.txt`, 'blob', () => 'evil\n')],
])('refuses a %s whose content was replaced, and does not move the base', async (_, damage) => {
  const name = damage()
  await expect(landing.land(one)).rejects.toThrow(`object ${name} does not match its name`)
  untouched()
})

test('refuses a commit that was replaced, and does not move the base', async () => {
  forge(one.head, 'commit', (was) => was.toString().replace('Task 1', 'Task X'))
  await expect(landing.land(one)).rejects.toThrow(`object ${one.head} does not match its name`)
  untouched()
})

test('refuses a folder that was replaced, and does not move the base', async () => {
  const { git, root } = landing.repository
  const [good, evil] = [git('rev-parse', `${one.head}:deep`), git('rev-parse', 'main^{tree}')]
  const file = (name: string) => join(root, '.git/objects', name.slice(0, 2), name.slice(2))
  const bytes = readFileSync(file(evil))
  rmSync(file(good))
  writeFileSync(file(good), bytes)
  await expect(landing.land(one)).rejects.toThrow(`object ${good} does not match its name`)
  untouched()
})

test('refuses an object that was replaced while the gates ran', async () => {
  const merged = await landing.merge(one)
  forge(`${one.head}:one.txt`, 'blob', () => 'evil\n')
  await expect(landing.vcs.advance({ branch: 'main' }, merged.base, merged.commit)).rejects.toThrow(
    'does not match its name',
  )
  await landing.vcs.removeCheckout(one.name)
  untouched()
})

test('leaves out damaged work that waits, and refuses it when its own turn comes', async () => {
  const two = await landing.work(2, { 'two.txt': 'good too\n' })
  forge(`${two.head}:two.txt`, 'blob', () => 'evil\n')
  expect(await landing.land(one, [two])).toMatchObject({ kind: 'advanced' })
  expect(landing.repository.git('rev-parse', 'main')).toBe(one.head)
  await expect(landing.land(two)).rejects.toThrow('does not match its name')
  expect(landing.repository.git('rev-parse', 'main')).toBe(one.head)
})

test('lands intact files: binary, empty, packed, and larger than one read', async () => {
  const two = await landing.work(2, {
    'bytes.bin': '\0\u0001\n\n\0',
    'empty.txt': '',
    'great.txt': 'x'.repeat(33 * 1024 * 1024),
  })
  landing.repository.git('repack', '-qad')
  expect(await landing.land(two)).toMatchObject({ kind: 'advanced' })
})
