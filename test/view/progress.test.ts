import { expect, test } from 'vitest'
import type { StoredEvent } from '../../src/core/event.ts'
import { createProgress } from '../../src/view/progress.ts'

const failed = (detail: string): StoredEvent => ({
  seq: 1,
  version: 1,
  stream: 'task/7',
  at: '2026-01-01T00:00:00.000Z',
  type: 'loop.failed',
  data: { reason: 'crash', detail, recovery: [], cycle: 0 },
})

test('a long remedy is shown to its end, on its own lines', () => {
  const detail = `${'The provider said something long. '.repeat(9)}To log in: run this.`
  const lines = createProgress('every step')(failed(detail))?.split('\n') ?? []
  expect(lines.length).toBeGreaterThan(1)
  expect(lines.at(-1)).toMatch(/^ {4}.*To log in: run this\.$/)
  for (const line of lines.slice(1)) expect(line).toMatch(/^ {4}\S/)
})

test('a very long message is cut', () => {
  const text = createProgress('every step')(failed('word '.repeat(10_000))) ?? ''
  expect(text.split('\n').length).toBeLessThanOrEqual(4)
  expect(text.endsWith('…')).toBe(true)
})
