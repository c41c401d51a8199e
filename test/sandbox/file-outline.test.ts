/** Which changes to the files that steer agents are noticed, and which are not. */
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { outlineFiles } from '../../src/sandbox/file-outline.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'umpire-outline-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

function put(path: string, text = 'put\n'): void {
  mkdirSync(dirname(join(home, path)), { recursive: true })
  writeFileSync(join(home, path), text)
}

function outline(...paths: string[]): Record<string, string> {
  return outlineFiles(
    { paths: paths.map((path) => join(home, path)), except: [join(home, 'skills/.system')] },
    home,
  )
}

test('names files relative to the home folder, including those in folders, and notices changes', () => {
  put('settings.json', '{"a":1}')
  put('skills/deep/er.md')
  const before = outline('settings.json', 'skills', 'missing')
  expect(Object.keys(before)).toEqual(['~/settings.json', '~/skills/deep/er.md'])
  // The same content, written again, is no change.
  put('settings.json', '{"a":1}')
  expect(outline('settings.json', 'skills')).toEqual(before)
  put('settings.json', '{"a":2}')
  put('skills/new.md')
  const now = outline('settings.json', 'skills')
  expect(now['~/settings.json']).not.toBe(before['~/settings.json'])
  expect(Object.keys(now)).toContain('~/skills/new.md')
})

test('notices a write to a large file even if its size is the same afterwards', async () => {
  put('big.js')
  truncateSync(join(home, 'big.js'), 1024 * 1024)
  const before = outline('big.js')
  appendFileSync(join(home, 'big.js'), 'x')
  truncateSync(join(home, 'big.js'), 1024 * 1024)
  expect(outline('big.js')).not.toEqual(before)
})

test('follows links, even circular ones, and notices changes behind them', () => {
  put('elsewhere/rule.md')
  mkdirSync(join(home, 'rules'))
  symlinkSync(join(home, 'elsewhere'), join(home, 'rules/link'))
  symlinkSync(join(home, 'rules'), join(home, 'rules/circle'))
  symlinkSync(join(home, 'nowhere'), join(home, 'rules/dangling'))
  const before = outline('rules')
  expect(Object.keys(before).sort()).toEqual([
    ...['~/rules/circle', '~/rules/dangling', '~/rules/link', '~/rules/link/rule.md'],
  ])
  put('elsewhere/rule.md', 'other\n')
  expect(outline('rules')).not.toEqual(before)
})

test('ignores what programs write by themselves: packages, marks, a schema', () => {
  put('opencode.json', '{\n  "a": 1\n}')
  const before = outline('opencode.json', 'opencode.jsonc', 'plugins', 'skills')
  put('opencode.json', '{\n  "$schema": "https://opencode.ai/config.json",\n  "a": 1\n}')
  put('opencode.jsonc', '{\n  "$schema": "https://opencode.ai/config.json"\n}')
  put('plugins/node_modules/x/index.js')
  put('plugins/cache/x/.orphaned_at')
  put('skills/.system/imagegen/SKILL.md')
  expect(outline('opencode.json', 'opencode.jsonc', 'plugins', 'skills')).toEqual(before)
  put('opencode.json', '{\n  "$schema": "https://elsewhere.example",\n  "a": 1\n}')
  expect(outline('opencode.json')).not.toEqual(before)
})

test('ignores the folders that Codex trusts, but not other settings next to them', () => {
  const trusted = '[projects."/work"]\ntrust_level = "trusted"\n'
  const before = outline('config.toml')
  put('config.toml', trusted)
  expect(outline('config.toml')).toEqual(before)
  put('config.toml', `notify = ["a"]\n\n${trusted}`)
  const notified = outline('config.toml')
  expect(notified).not.toEqual(before)
  put('config.toml', `notify = ["a"]\n\n${trusted}\n[projects."/other"]\ntrust_level = "untrusted"\n`)
  expect(outline('config.toml')).toEqual(notified)
  put('config.toml', `notify = ["a"]\n\n${trusted}sandbox_mode = "danger-full-access"\n`)
  expect(outline('config.toml')).not.toEqual(notified)
})

test('notices a change even among more files than it can name', () => {
  mkdirSync(join(home, 'many'))
  for (let n = 0; n < 1005; n++) writeFileSync(join(home, 'many', String(n)), 'x')
  const before = outline('many')
  expect(Object.keys(before)).toHaveLength(1001)
  put('many/zzz')
  expect(outline('many')).not.toEqual(before)
})
