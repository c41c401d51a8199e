/**
 * Tables that name the end-to-end test for each flag or setting. The named tests must exist, and each test's file must
 * mention everything that the table says it shows.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const folder = resolve(import.meta.dirname, '../e2e')

/** What each test shows: its name, and the flags or keys. */
export type ShownBy = Record<string, string[]>

/** The errors in such a table: tests that do not exist, or that do not mention what they should show. */
export function faultsIn(table: ShownBy, mention: (shown: string) => string | RegExp): string[] {
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
  return Object.entries(table).flatMap(([name, all]) => {
    const file = files.find((text) => declares(text, name))
    if (file === undefined) return [`there is no test named: ${name}`]
    return all
      .filter((shown) => !mentions(file, mention(shown)))
      .map((shown) => `${mention(shown)} is nowhere in the file of: ${name}`)
  })
}

/** Whether the text declares a test of this name. A row of a table like these does not count. */
function declares(text: string, name: string): boolean {
  const quoted = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`^(?:test|\\]\\))\\(\\s*['"\`]${quoted}['"\`],`, 'm').test(text)
}

function mentions(file: string, what: string | RegExp): boolean {
  return typeof what === 'string' ? file.includes(what) : what.test(file)
}
