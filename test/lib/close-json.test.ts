import { expect, test } from 'vitest'
import { closeJson } from '../../src/loop/session/transcript.ts'

test('JSON that was cut off in a string is closed, wherever that was', () => {
  const whole = JSON.stringify({ type: 'tool', list: [{ out: 'a "quoted" \\ [{ line\n\u0001' }] })
  const from = whole.indexOf('"a ') + 1
  for (let end = from; end < whole.length - 4; end++) {
    const closed = closeJson(whole.slice(0, end))
    expect(JSON.parse(closed ?? ''), whole.slice(0, end)).toMatchObject({ type: 'tool', list: [{}] })
  }
})

test.each(['', 'text "with', '{"type":"tool"', '{"type":"tool","ke', '{"a":1,', '{"a":[1}, "b'])(
  'what was cut off elsewhere, or is no JSON, is left: %j',
  (text) => {
    expect(closeJson(text)).toBe(null)
  },
)
