import { expect, test } from 'vitest'
import { closeJson } from '../../src/loop/session/transcript.ts'

test('closes JSON that was cut off anywhere in a string', () => {
  const whole = JSON.stringify({ type: 'tool', list: [{ out: 'a "quoted" \\ [{ line\n\u0001' }] })
  const from = whole.indexOf('"a ') + 1
  for (let end = from; end < whole.length - 4; end++) {
    const closed = closeJson(whole.slice(0, end))
    expect(JSON.parse(closed ?? ''), whole.slice(0, end)).toMatchObject({ type: 'tool', list: [{}] })
  }
})

test.each(['', 'text "with', '{"type":"tool"', '{"type":"tool","ke', '{"a":1,', '{"a":[1}, "b'])(
  'gives up on JSON that was cut off elsewhere, and on other text: %j',
  (text) => {
    expect(closeJson(text)).toBe(null)
  },
)
