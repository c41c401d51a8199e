import { describe, expect, test } from 'vitest'
import { renderChange } from '../../src/prompts/render-change.ts'
import { shortenDiff, shortenTexts } from '../../src/prompts/shorten.ts'
import { fc } from '../support/random.ts'

const hunk = (at: number, lines: number, word: string) =>
  `@@ -${at},0 +${at},${lines} @@\n${`+${word}\n`.repeat(lines)}`
const file = (name: string, ...hunks: string[]) =>
  `diff --git a/${name} b/${name}\n--- a/${name}\n+++ b/${name}\n${hunks.join('')}`

describe('a diff that is too long', () => {
  test('keeps its largest hunks in order, and says what is missing', () => {
    const diff = [
      file('a', hunk(1, 2, 'tiny'), hunk(9, 40, 'large')),
      file('b', hunk(1, 3, 'small')),
      file('c', hunk(1, 60, 'larger')),
    ].join('')
    const short = shortenDiff(diff, 4_000)
    expect(short).toMatchObject({ all: 4, shown: 4 })
    const shorter = shortenDiff(diff, 800)
    expect(shorter).toMatchObject({ all: 4, shown: 2 })
    expect(shorter.text).toMatch(
      /^diff --git a\/a .*large.*1 more hunk of this file.*diff --git a\/c .*larger/s,
    )
    expect(shorter.text).not.toMatch(/tiny|small/)
  })

  test('leaves room for others next to one huge hunk', () => {
    const diff = file('lock', hunk(1, 10_000, 'dependency')) + file('code', hunk(1, 20, 'changed'))
    const { text, shown } = shortenDiff(diff, 4_000)
    expect(shown).toBe(2)
    expect(text).toMatch(/characters left out/)
    expect(text).toContain('+changed')
  })

  test('never mistakes file content for a diff header', () => {
    const tricky = hunk(1, 2, 'diff --git a/x b/x') + hunk(5, 1, 'a\u2028diff --git a/y b/y\u2028@@ -1 +1 @@')
    expect(shortenDiff(file('real', tricky), 10_000)).toMatchObject({ all: 2, text: file('real', tricky) })
  })

  test('always fits', () => {
    const anyHunk = fc
      .tuple(fc.nat(50), fc.nat(200), fc.string())
      .map(([at, lines, word]) => hunk(at, lines, word.replaceAll('\n', '')))
    const anyDiff = fc
      .array(fc.array(anyHunk, { maxLength: 6 }), { maxLength: 8 })
      .map((files) => files.map((hunks, index) => file(`f${index}`, ...hunks)).join(''))
    fc.assert(
      fc.property(anyDiff, fc.integer({ min: 400, max: 5_000 }), (diff, room) => {
        const { text, shown, all } = shortenDiff(diff, room)
        expect(text.length).toBeLessThanOrEqual(room)
        expect(shown).toBeLessThanOrEqual(all)
      }),
    )
  })
})

describe('the change in a prompt', () => {
  const text = file('big', ...Array.from({ length: 50 }, (_, index) => hunk(index * 9, 8, 'line')))
  const files = [{ path: 'big', added: 400, removed: 0 }]

  test('is complete if there is room', () => {
    const shown = renderChange({ text, files, against: 'c0', cut: false }, text.length, '/x/change.diff')
    expect(shown).toContain(text)
    expect(shown).not.toContain('/x/change.diff')
  })

  test('names the file with the complete diff if there is no room', () => {
    const shown = renderChange({ text, files, against: 'c0', cut: false }, 1_000, '/x/change.diff')
    expect(shown).toMatch(/of 50 hunks\. All of it is in the file "\/x\/change\.diff"/)
    expect(shown).toContain('+400 -0 "big"')
  })

  test.each([
    ['whole', text.length, 'missing, here:'],
    ['shortened', 1_000, 'missing, here and in that file:'],
  ])('warns that it was cut off even if it is %s, and not to approve unseen parts', (_, room, where) => {
    const shown = renderChange({ text, files, against: 'c0', cut: true }, room, '/x/change.diff')
    expect(shown).toContain(`**The end of the diff is ${where}**`)
    expect(shown).toContain('Do not approve what you could not see')
    expect(shown).not.toMatch(/All of it|The whole difference/)
  })

  test('lists only the largest of very many files', () => {
    const many = Array.from({ length: 5_000 }, (_, index) => ({
      path: `f${index}`,
      added: index,
      removed: 0,
    }))
    const shown = renderChange({ text, files: many, against: 'c0', cut: false }, 4_000, '/x')
    expect(shown).toMatch(/```\n\+4999 -0 "f4999"\n\+4998/)
    expect(shown).toMatch(/… and 4\d{3} smaller changes in other files …/)
    expect(shown.length).toBeLessThan(7_000)
  })
})

test('the short form shortens every long text and nothing else', () => {
  const value = { a: ['x'.repeat(9_000)], b: { c: 'short', d: null, e: 7, f: true } }
  const short = shortenTexts(value)
  expect(short.a[0]).toMatch(/^x{2000}\n\[… 5000 characters left out …\]\nx{2000}$/)
  expect(short.b).toEqual(value.b)
})
