/** Every event enters the journal through `record.ts`, because only that code notifies all observers. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const src = resolve(import.meta.dirname, '../../src')

const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  // The port and its adapters define the method. Agents can't reach a journal (`imports.test.ts`).
  .filter((path) => !path.startsWith('store/') && !path.startsWith('agents/'))

/** A call of the method, and every other way to get it by its name. */
const mentions = /(\.|\?\.|\[\s*['"`])append\b|\{[^{}]*\bappend\b[^{}]*\}\s*(:[^=]*)?=/

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\/\/.*$/gm, '')
}

test('only the writer appends to the journal', () => {
  const writers = files.filter((file) =>
    mentions.test(withoutComments(readFileSync(join(src, file), 'utf8'))),
  )
  expect(writers).toEqual(['loop/record.ts'])
})

test('only the writer writes the file of a review, and only a claim restores a missing one', () => {
  const callers = (method: string) =>
    files.filter((file) =>
      new RegExp(`reviewFiles\\.${method}\\(`).test(readFileSync(join(src, file), 'utf8')),
    )
  expect(callers('write')).toEqual(['loop/record.ts'])
  expect(callers('ensure')).toEqual(['loop/review-loop.ts'])
})

test.each([
  'await journal.append(stream, 0)',
  'await books.journal.append(',
  "journal['append'](stream)",
  'const { append } = store.journal',
])('the pattern finds %s', (text) => {
  expect(text).toMatch(mentions)
})
