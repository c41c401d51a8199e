import { expect, test } from 'vitest'
import { createPaint, wantsColours } from '../../src/lib/text/paint.ts'

const terminal = { isTTY: true }
const file = { isTTY: false }

test('colours are on for terminals unless a variable says otherwise, and off beats on', () => {
  expect(wantsColours(terminal, {})).toBe('on')
  expect(wantsColours(file, {})).toBe('off')
  expect(wantsColours({}, {})).toBe('off')
  expect(wantsColours(terminal, { TERM: 'dumb' })).toBe('off')
  expect(wantsColours(terminal, { NO_COLOR: '1' })).toBe('off')
  expect(wantsColours(terminal, { NO_COLOR: '' })).toBe('on')
  expect(wantsColours(file, { FORCE_COLOR: '1' })).toBe('on')
  expect(wantsColours(terminal, { FORCE_COLOR: '0' })).toBe('off')
  expect(wantsColours(terminal, { FORCE_COLOR: '' })).toBe('on')
  expect(wantsColours(file, { FORCE_COLOR: '1', NO_COLOR: '1' })).toBe('off')
})

test('colours can be nested, and without colours the text stays unchanged', () => {
  const { bold, red } = createPaint('on')
  expect(bold(red('x'))).toBe('\u001b[1m\u001b[31mx\u001b[39m\u001b[22m')
  expect(red('')).toBe('')
  expect(createPaint('off').dim('x')).toBe('x')
})
