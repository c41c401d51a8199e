import { expect, test } from 'vitest'
import { clip, widthOf, wrap } from '../../src/lib/text/columns.ts'

test.each([
  ['', 0],
  ['abc', 3],
  ['é', 1],
  ['e\u0301', 1],
  ['日本', 4],
  ['→ ✓ ! …', 7],
  ['🎉', 2],
  ['👩‍👩‍👧', 2],
  ['\u001b[31mred\u001b[39m', 3],
])('%j is %i columns wide', (text, width) => {
  expect(widthOf(text)).toBe(width)
})

test('text that does not fit is cut with an ellipsis, by columns and not by characters', () => {
  expect(clip('abcdef', 6)).toBe('abcdef')
  expect(clip('abcdef', 5)).toBe('abcd…')
  expect(clip('日本語', 5)).toBe('日本…')
  expect(clip('日本語', 4)).toBe('日…')
  expect(clip('abc', 1)).toBe('…')
  expect(clip('abc', 0)).toBe('')
})

test('colours are kept, have no width, and end where the text is cut', () => {
  expect(clip('\u001b[31mred\u001b[39m', 3)).toBe('\u001b[31mred\u001b[39m')
  expect(clip('a\u001b[31mbcd\u001b[39m', 3)).toBe('a\u001b[31mb…\u001b[0m')
})

test('long text wraps to the next line, and is cut when no line is left', () => {
  expect(wrap('one two three', 20, 3)).toEqual(['one two three'])
  expect(wrap('one two three', 8, 3)).toEqual(['one two', 'three'])
  expect(wrap('one two three four five', 8, 2)).toEqual(['one two', 'three f…'])
  expect(wrap('unbreakable it', 6, 3)).toEqual(['unbre…', 'it'])
})
