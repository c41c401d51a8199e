import { expect, test } from 'vitest'
import { readPlainText } from '../../src/agents/command.ts'
import { gemini } from '../../src/agents/gemini.ts'
import { opencode } from '../../src/agents/opencode.ts'
import { mayAnswer, type Reader } from '../../src/loop/session/transcript.ts'

const long = 'x'.repeat(2000)

/** Whether this line may be part of the answer, judged by its first 1000 characters. */
function may(reader: Reader, line: string): boolean {
  const beginning = line.slice(0, 1000)
  return mayAnswer(beginning, reader.read(beginning), reader)
}

test('a line too long for memory is not part of the answer if its beginning says that it is something else', () => {
  const result = { type: 'tool_result', tool_id: '1', status: 'success', output: long }
  expect(may(gemini, JSON.stringify(result))).toBe(false)
  expect(
    may(gemini, JSON.stringify({ type: 'message', role: 'assistant', content: long, delta: true })),
  ).toBe(true)
  const part = { tool: 'read', state: { status: 'completed', input: {}, output: long } }
  expect(may(opencode, JSON.stringify({ type: 'tool_use', part }))).toBe(false)
  expect(may(opencode, JSON.stringify({ type: 'text', part: { type: 'text', text: long } }))).toBe(true)
})

test('a line of unknown type may be part of the answer', () => {
  expect(may(gemini, JSON.stringify({ output: long, type: 'tool_result' }))).toBe(true)
  expect(may(gemini, `{"type":"tool_result"${' '.repeat(2000)}`)).toBe(true)
  expect(may({ read: readPlainText }, long)).toBe(true)
})
