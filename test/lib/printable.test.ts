import { expect, test } from 'vitest'
import { harmlessJson, oneLine, printable, spelledOut } from '../../src/lib/text/printable.ts'
import { fc } from '../support/random.ts'

/** Characters that a terminal might obey or a reader would not see. */
const obeyed = /[^\P{Cc}\n\t]|\p{Cf}|\u2028|\u2029|\u034f|\u115f|\u1160|\u3164|\uffa0|\ufe00/u

const odd = fc.constantFrom(
  ...[
    '\u001b',
    '\u001b[',
    '\u001b]52;c;',
    '\u0007',
    '\u009b',
    '\u009d',
    '\u0090',
    '\u001b\\',
    '\u009c',
    '\r',
  ],
  ...[
    '\n',
    '\t',
    '\u202e',
    '\u2066',
    '\u200b',
    '\u200d',
    '\u2060',
    '\ufeff',
    '\u00ad',
    '\u{e0041}',
    '\u007f',
    '\u0085',
  ],
  ...['31m', 'H', 'text', ' ', ';', '日本', '🎉'],
)
const hostile = fc.oneof(
  fc.array(odd, { maxLength: 20 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary' }),
)

test('removes from any text what a terminal would obey or hide', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      expect(obeyed.exec(printable(text))).toBe(null)
      expect(obeyed.exec(spelledOut(text))).toBe(null)
      expect(oneLine(text)).not.toMatch(/[\n\t]/)
    }),
  )
})

test('lets no invisible Unicode character through', () => {
  for (let from = 0; from < 0x110000; from += 0x800) {
    const some = Array.from({ length: 0x800 }, (_, index) => String.fromCodePoint(from + index)).join('')
    for (const shown of [printable(some), spelledOut(some), harmlessJson(JSON.stringify(some))])
      expect([from, obeyed.exec(shown)]).toEqual([from, null])
  }
})

test('harmless JSON still has the same value', () => {
  fc.assert(
    fc.property(fc.dictionary(hostile, hostile), (value) => {
      const json = harmlessJson(JSON.stringify(value))
      expect(obeyed.exec(json)).toBe(null)
      expect(JSON.parse(json)).toEqual(value)
    }),
  )
})

test('removes whole escape sequences and keeps ordinary words', () => {
  expect(printable('a \u001b[31mred\u001b[0m \u001b]52;c;ZXZpbA==\u0007b \u001b]0;title\u001b\\c')).toBe(
    'a red b c',
  )
  expect(printable('Grüße, 日本 → ✓ 🎉\n\tdone')).toBe('Grüße, 日本 → ✓ 🎉\n\tdone')
})

test('spelling out control characters loses nothing', () => {
  expect(spelledOut('if (a\u202e) \u001b[31m\u200b\r\u{e0041}')).toBe(
    String.raw`if (a\u202e) \u001b[31m\u200b\u000d\udb40\udc41`,
  )
})
