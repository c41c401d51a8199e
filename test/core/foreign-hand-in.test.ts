import { expect, test } from 'vitest'
import { claude } from '../../src/agents/claude.ts'
import { codex } from '../../src/agents/codex.ts'
import { gemini } from '../../src/agents/gemini.ts'
import { opencode } from '../../src/agents/opencode.ts'
import { isForeignHandIn } from '../../src/core/review/foreign-hand-in.ts'

const names = (events: ReturnType<typeof claude.read>) =>
  events.flatMap((event) => (event.type === 'tool' ? [event.name] : []))

/** A tool call as each program prints it, read by its own adapter. */
const told = {
  claude: (name: string) =>
    claude.read(
      JSON.stringify({ type: 'assistant', message: { content: [{ type: 'tool_use', name, input: {} }] } }),
    ),
  codex: (name: string) => {
    const [server, tool] = name.split('.')
    const item = { id: 'item_1', type: 'mcp_tool_call', server, tool, arguments: {}, status: 'in_progress' }
    return codex.read(JSON.stringify({ type: 'item.started', item }))
  },
  gemini: (name: string) =>
    gemini.read(JSON.stringify({ type: 'tool_use', tool_name: name, tool_id: '1', parameters: {} })),
  opencode: (name: string) =>
    opencode.read(
      JSON.stringify({ type: 'tool_use', part: { tool: name, state: { status: 'completed', input: {} } } }),
    ),
}

test.each([
  ['claude', told.claude, 'mcp__umpire__', 'Read'],
  ['codex', told.codex, 'umpire.', null],
  ['gemini', told.gemini, 'mcp_umpire_', 'read_file'],
  ['opencode', told.opencode, 'umpire_', 'read'],
] as const)('detects a review that %s did not hand in itself', (_, tell, prefix, reading) => {
  const called = (...tools: string[]) => tools.flatMap((name) => names(tell(name)))
  const [gate, result] = [`${prefix}run_gate`, `${prefix}set_loop_review_result`]
  const looked = reading === null ? [] : [reading]
  expect(isForeignHandIn(1, called(gate, ...looked))).toBe(true)
  expect(isForeignHandIn(0, called(gate, ...looked))).toBe(false)
  expect(isForeignHandIn(1, called(gate, ...looked, result))).toBe(false)
})

test('does not accuse the reviewer if its tool calls are not known', () => {
  for (const called of [
    null,
    [],
    ['Read'],
    ['run_gate'],
    ['mcp__umpire__run_gate', 'Bash'],
    ['umpire.run_gate', 'shell'],
  ])
    expect(isForeignHandIn(1, called)).toBe(false)
})
