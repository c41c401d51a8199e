import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { outlineHome } from '../../src/sandbox/home-outline.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'umpire-home-'))
  mkdirSync(join(home, '.ssh'))
  mkdirSync(join(home, '.config/git'), { recursive: true })
  mkdirSync(join(home, 'Documents'))
  for (const file of [
    '.bashrc',
    '.ssh/config',
    '.config/git/config',
    'notes.txt',
    '.claude.json',
    '.zsh_history',
  ])
    writeFileSync(join(home, file), 'first')
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

/** The names that have another value after the change. */
function changedBy(change: () => void): string[] {
  const before = outlineHome(home, ['.claude'])
  change()
  const now = outlineHome(home, ['.claude'])
  const names = new Set([...Object.keys(before), ...Object.keys(now)])
  return [...names].filter((name) => before[name] !== now[name])
}

test.each(['.bashrc', '.ssh/config', '.config/git/config'])('notices a change to ~/%s', (file) => {
  expect(changedBy(() => appendFileSync(join(home, file), 'more'))).toEqual([file])
})

test('notices new names at the top and in the watched folders', () => {
  const files = ['evil.txt', '.profile', '.ssh/authorized_keys']
  const make = () => files.map((file) => writeFileSync(join(home, file), ''))
  expect(changedBy(make).sort()).toEqual([...files].sort())
})

test.each([
  'notes.txt',
  'Documents/letter.txt',
  '.claude.json',
  '.claude.json.lock',
  '.zsh_history',
  '.ssh/known_hosts',
])('ignores what a person, a shell or an agent writes in passing: ~/%s', (file) => {
  expect(changedBy(() => appendFileSync(join(home, file), 'more'))).toEqual([])
})

test('ignores a folder that the first program makes for all programs, but not another kind of file of its name', () => {
  const folders = ['.cache', '.local', '.npm']
  expect(changedBy(() => folders.map((folder) => mkdirSync(join(home, folder))))).toEqual([])
  rmSync(join(home, '.npm'), { recursive: true })
  expect(changedBy(() => writeFileSync(join(home, '.npm'), ''))).toEqual(['.npm'])
})

test('is empty without a home folder that can be read', () => {
  expect(outlineHome(undefined, [])).toEqual({})
  expect(outlineHome(join(home, 'nowhere'), [])).toEqual({})
})
