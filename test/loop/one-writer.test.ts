/** Everything that enters the journal goes through `record.ts`: only there is nobody forgotten who has to be told. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const src = resolve(import.meta.dirname, '../../src')

const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  // The port and its adapters are what is called, not callers; no agent can get hold of a journal (`imports.test.ts`).
  .filter((path) => !path.startsWith('store/') && !path.startsWith('agents/'))

/** A call of the method, and every other way to get hold of it: taken out of the journal by its name. */
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

test('only the writer makes the file of a review, and only a claim makes one that is missing', () => {
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
])('the reading of sources sees %s', (text) => {
  expect(text).toMatch(mentions)
})
