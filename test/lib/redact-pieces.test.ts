import { expect, test } from 'vitest'
import { createRedact, redactPieces } from '../../src/lib/text/redact.ts'

const redact = createRedact({ MY_TOKEN: 'correct horse battery staple' })
const key = `-----BEGIN PRIVATE KEY-----${'MIIE+/'.repeat(500)}-----END PRIVATE KEY-----`
const secrets = [`ghp_${'Ab3'.repeat(12)}`, 'correct horse battery staple', key]

test.each([1_000, 7_777, 100_000, 500_000])(
  'text in pieces of %i characters is redacted as if it were whole',
  (size) => {
    const text = Array.from({ length: 300 }, (_, n) => `${'words '.repeat(n)}${secrets[n % 3]} `).join('')
    const redactor = redactPieces(redact)
    const given: string[] = []
    for (let at = 0; at < text.length; at += size) given.push(redactor.push(text.slice(at, at + size)))
    given.push(redactor.finish())
    expect(given.join('') === redact(text)).toBe(true)
    expect(given.join('')).not.toMatch(/Ab3|MIIE|horse/)
    // Most of the text comes back before the end, so memory stays bounded.
    expect(given.at(-1)?.length).toBeLessThan(100_000)
  },
)

test('an endless secret does not make it buffer everything', () => {
  const redactor = redactPieces(redact)
  let given = redactor.push(`sk-${'a'.repeat(200_000)}`).length
  for (let n = 0; n < 20; n++) given += redactor.push('a'.repeat(200_000)).length
  expect(given).toBeGreaterThan(3_000_000)
})
