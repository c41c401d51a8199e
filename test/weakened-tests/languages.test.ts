/** In every language, Umpire reports what weakens tests, and ignores what only looks like it. */
import { describe, expect, test } from 'vitest'
import { findWeakened } from '../../src/weakened-tests/find-weakened.ts'
import { javascriptChanges } from './changes/javascript.ts'
import { otherChanges } from './changes/others.ts'
import { pythonChanges } from './changes/python.ts'
import { diffOf } from './diff-of.ts'

describe.each([
  ['JavaScript and TypeScript', javascriptChanges],
  ['Python', pythonChanges],
  ['Go, Rust, Java, Ruby and C#', otherChanges],
])('%s', (_, changes) => {
  test.each(changes)('$says', ({ file, before, after, found }) => {
    const { facts } = findWeakened(diffOf({ [file]: before }, { [file]: after }), 50)
    expect(facts.map(({ kind }) => kind)).toEqual(found)
    for (const fact of facts) expect(fact).toMatchObject({ file, line: expect.any(Number) })
  })
})
