import { describe, expect, it } from 'vitest'
import { type LinePart, splitLines } from '../../src/lib/text/split-lines.ts'
import { fc } from '../support/random.ts'

/** Pushes the chunks through one reused buffer, as a file reader does. */
function split(chunks: Buffer[], maxBytes: number): { part: string; text: string; end: number }[] {
  const memory = Buffer.alloc(Math.max(1, ...chunks.map((chunk) => chunk.length)))
  const splitter = splitLines(maxBytes)
  const copy = (parts: LinePart[]) =>
    parts.map(({ part, bytes, end }) => ({ part, text: bytes.toString('latin1'), end }))
  const parts = chunks.flatMap((chunk) => {
    chunk.copy(memory)
    return copy(splitter.push(memory.subarray(0, chunk.length)))
  })
  return [...parts, ...copy(splitter.finish())]
}

const bytes = fc
  .array(fc.constantFrom('a', 'é', '\n', '\n', '\r\n', '\u2028', '€€'))
  .map((all) => Buffer.from(all.join('')))

describe('splitLines', () => {
  it('gives the same lines however the bytes are split into chunks', () => {
    fc.assert(
      fc.property(bytes, fc.array(fc.nat(20)), (whole, sizes) => {
        const chunks: Buffer[] = []
        let from = 0
        for (const size of [...sizes, whole.length]) {
          chunks.push(whole.subarray(from, from + size))
          from += size
        }
        expect(split(chunks, 1000)).toEqual(split([whole], 1000))
      }),
    )
  })

  it('gives every line once, with the offset of its end', () => {
    fc.assert(
      fc.property(bytes, (whole) => {
        const text = whole.toString('latin1')
        const lines = text.split('\n')
        const last = lines.pop()
        const expected = lines.map((line) => line.replace(/\r$/, ''))
        const got = split([whole], 1000)
        expect(got.map((line) => line.text)).toEqual(last === '' ? expected : [...expected, last])
        expect(got.at(-1)?.end ?? 0).toBe(text.length)
        for (const [index] of lines.entries()) expect(text[(got[index]?.end ?? 0) - 1]).toBe('\n')
      }),
    )
  })

  it('gives long lines in parts that join to the whole line, and splits no character', () => {
    fc.assert(
      fc.property(fc.array(bytes), fc.integer({ min: 4, max: 12 }), (chunks, maxBytes) => {
        const parts = split(chunks, maxBytes)
        const lines: string[] = []
        let line = ''
        for (const { part, text } of parts) {
          if (part === 'whole' || part === 'head') expect(text.length).toBeLessThanOrEqual(maxBytes)
          if (part === 'head') expect(Buffer.from(text, 'latin1').toString('utf8')).not.toContain('\ufffd')
          line += text
          if (part === 'head' || part === 'middle') continue
          lines.push(line)
          line = ''
        }
        const withoutReturns = (all: string[]) => all.map((each) => each.replace(/\r$/, ''))
        expect(withoutReturns(lines)).toEqual(
          withoutReturns(split(chunks, 1_000_000).map((each) => each.text)),
        )
      }),
    )
  })
})
