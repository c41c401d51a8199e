/**
 * What a diff does to the tests, found mechanically: a list of facts that the reviewer has to answer one by one. It reads
 * lines, not programs, so it can miss things and can't know why something was done. It leaves out lines that only moved,
 * were only reformatted, or test at least as much as before.
 */
import { type WeakenedFact, type WeakenedTests, weakenedKinds } from './fact.ts'
import { isForeign, isNamedTest, testLanguage } from './languages.ts'
import type { Mark, TestChange } from './mark.ts'
import { type DiffFile, readDiff } from './read-diff.ts'
import { readTests } from './read-tests.ts'
import { weighAssertions } from './weigh/assertions.ts'
import { isCiFile, isGateFile, weighCi, weighGate } from './weigh/gate-files.ts'
import { isSnapshot, weighLeeway, weighSnapshot } from './weigh/loosened-expectations.ts'
import { weighSkips } from './weigh/skips.ts'

/** `diff` is a diff as git writes it. At most `most` facts are listed. */
export function findWeakened(diff: string, most: number): WeakenedTests {
  const files = readDiff(diff, (path) => path !== '' && isOfInterest(path))
  const tests = files.flatMap((file) => {
    const language = isAboutRunning(file)
      ? null
      : (testLanguage(file.from ?? '') ?? testLanguage(file.to ?? ''))
    return language ? [{ file, change: readTests(file, language) }] : []
  })
  const changes = tests.map(({ change }) => change)
  cancelMoved(changes)
  const facts = [
    files.flatMap(weighRunning),
    tests.flatMap(({ file, change }) => [...deleted(file, change), ...hidden(file, change)]),
    changes.flatMap(weighSkips),
    changes.flatMap(weighLeeway),
    weighAssertions(changes),
  ]
  return bounded(facts.flat(), most)
}

/** Facts about the files that run the tests and about recorded results, even if they are written in a tests' language. */
function weighRunning(file: DiffFile): WeakenedFact[] {
  const [from, to] = [file.from ?? '', file.to ?? '']
  if (isCiFile(from) || isCiFile(to)) return weighCi(file)
  if (isGateFile(from)) return weighGate(file)
  return isSnapshot(to || from) ? weighSnapshot(file) : []
}

function isAboutRunning({ from, to }: DiffFile): boolean {
  return [from ?? '', to ?? ''].some((path) => isCiFile(path) || isGateFile(path) || isSnapshot(path))
}

function isOfInterest(path: string): boolean {
  if (isForeign(path) && !isSnapshot(path)) return false
  return isCiFile(path) || isGateFile(path) || isSnapshot(path) || testLanguage(path) !== null
}

/** The share of lines that must be found again elsewhere. The rest may have changed when the lines moved. */
const foundAgain = 0.9

function deleted({ hunks }: DiffFile, { file, life, language, marks }: TestChange): WeakenedFact[] {
  if (life !== 'deleted') return []
  const telling = marks.filter((mark) => mark.declares !== null || mark.assertions > 0)
  const begins = language.attribute ?? language.declares
  const lines = hunks.flatMap((hunk) => hunk.lines)
  const count = lines.filter(({ text }) => begins.test(text)).length
  // The folder alone also fits a helper for tests, and the language alone also fits a program.
  if (!isNamedTest(file, language) && count === 0) return []
  const moved = telling.filter((mark) => mark.moved).length
  if (telling.length > 0 && moved >= telling.length * foundAgain) return []
  const text = count === 0 ? 'deleted' : `deleted, with ${count} ${count === 1 ? 'test' : 'tests'}`
  return [{ kind: 'deleted-test-file', file, line: null, text }]
}

/** The file was renamed so that no test runner finds it any more. */
function hidden({ from, to }: DiffFile, { language }: TestChange): WeakenedFact[] {
  if (from === null || to === null || from === to || language.found === 'by content') return []
  if (!isNamedTest(from, language) || isNamedTest(to, language)) return []
  return [
    {
      kind: 'skipped-test',
      file: to,
      line: null,
      text: `renamed from ${from}, where it was found as a test`,
    },
  ]
}

/** The longest text that a prompt or a page shows on one line. */
const longestText = 200

function bounded(all: WeakenedFact[], most: number): WeakenedTests {
  const seen = new Set<string>()
  const facts = all
    .filter(({ kind, file, line, text }) => {
      const key = JSON.stringify(line === null ? [kind, file, text] : [kind, file, line])
      return !seen.has(key) && seen.add(key)
    })
    .sort((one, other) => weakenedKinds.indexOf(one.kind) - weakenedKinds.indexOf(other.kind))
  return {
    facts: facts.slice(0, most).map((fact) => ({ ...fact, text: shortened(fact.text) })),
    more: Math.max(0, facts.length - most),
  }
}

function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  const characters = [...line.slice(0, 2 * longestText)]
  return characters.length <= longestText ? line : `${characters.slice(0, longestText - 1).join('')}…`
}

/**
 * Finds lines that are in the diff twice, once as removed and once as added: in the same test, perhaps with another
 * indentation, in another test, or in another file. Such lines weaken nothing.
 */
function cancelMoved(changes: TestChange[]): void {
  for (const change of changes) pair(change.marks, ({ key, test }) => `${test}\n${key}`)
  pair(
    changes.flatMap(({ marks }) => marks),
    ({ key }) => key,
  )
}

function pair(marks: Mark[], keyOf: (mark: Mark) => string): void {
  const added = new Map<string, Mark[]>()
  for (const mark of marks) {
    if (mark.side === 'old' || mark.moved) continue
    const key = keyOf(mark)
    const same = added.get(key)
    if (same) same.push(mark)
    else added.set(key, [mark])
  }
  for (const mark of marks) {
    if (mark.side === 'new' || mark.moved) continue
    const other = added.get(keyOf(mark))?.pop()
    if (!other) continue
    mark.moved = true
    other.moved = true
  }
}
