import { expect, it } from 'vitest'
import { toml, tomlKey } from '../../src/lib/text/toml.ts'
import { fc } from '../support/random.ts'

it('writes any string so that it reads back unchanged', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      // The output uses only what JSON and TOML have in common, and contains no line break.
      const written = toml(text)
      expect(written).not.toMatch(/[\u0000-\u001f\u007f]/)
      expect(JSON.parse(written)).toBe(text)
    }),
  )
})

it('escapes quotes, backslashes and control characters in paths', () => {
  expect(toml('/a "b"\\c’ü\t$(x)')).toBe('"/a \\"b\\"\\\\c’ü\\u0009$(x)"')
})

it('replaces a lone surrogate, which TOML cannot represent', () => {
  expect(toml('a\ud800b')).toBe('"a\ufffdb"')
})

it('writes lists, tables, numbers and booleans on one line', () => {
  expect(toml({ 'a b': ['x', 1, true], c_d: { e: 'f' } })).toBe(
    '{ "a b" = ["x", 1, true], c_d = { e = "f" } }',
  )
  expect(tomlKey('umpire')).toBe('umpire')
  expect(tomlKey('u.m')).toBe('"u.m"')
})
