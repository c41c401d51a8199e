/** Notifications that real agents sent, cut down to the fields that matter. */
import { describe, expect, it } from 'vitest'
import { openMeter, openNarrator } from '../../src/acp/narrator.ts'

const say = (text: string, messageId?: string) => ({
  sessionUpdate: 'agent_message_chunk',
  content: { type: 'text', text },
  ...(messageId && { messageId }),
})

function narrate(updates: Record<string, unknown>[]) {
  const narrator = openNarrator()
  const lines = updates.flatMap((update) => narrator.describe(update))
  return { lines, answer: narrator.answer(), trouble: narrator.trouble() }
}

describe('what an agent says', () => {
  it('is one text until a tool call or a new message starts another', () => {
    const call = {
      sessionUpdate: 'tool_call',
      toolCallId: 'a',
      title: 'ls',
      kind: 'execute',
      status: 'in_progress',
    }
    const { lines, answer } = narrate([
      say('I lo'),
      say('ok.'),
      call,
      say('It is ', 'm1'),
      say('well.', 'm1'),
      say('APPROVED', 'm2'),
    ])
    expect(lines.map((line) => ('text' in line ? [line.type, line.text] : [line.type]))).toEqual([
      ...[['delta', 'I lo'], ['delta', 'ok.'], ['paragraph'], ['tool', '']],
      ...[['delta', 'It is '], ['delta', 'well.'], ['paragraph'], ['delta', 'APPROVED']],
    ])
    expect(answer).toBe('It is well.\n\nAPPROVED')
  })

  it('is no answer when a tool call came last', () => {
    const call = { sessionUpdate: 'tool_call', toolCallId: 'a', title: 'ls', status: 'completed' }
    expect(narrate([say('APPROVED'), call]).answer).toBe('')
  })

  it('is ignored if it is not text', () => {
    const picture = { sessionUpdate: 'agent_message_chunk', content: { type: 'image', data: '…' } }
    expect(narrate([picture, { sessionUpdate: 'news' }, {}])).toEqual({
      lines: [],
      answer: '',
      trouble: null,
    })
  })
})

describe('a tool call', () => {
  it('is reported once, as soon as its command is known', () => {
    const call = { toolCallId: 'call_3', kind: 'execute' }
    const { lines } = narrate([
      { sessionUpdate: 'tool_call', ...call, title: 'bash', status: 'pending', rawInput: { cwd: '/w' } },
      {
        sessionUpdate: 'tool_call_update',
        ...call,
        title: 'ls',
        status: 'in_progress',
        rawInput: { command: 'ls' },
      },
      { sessionUpdate: 'tool_call_update', ...call, title: 'ls', status: 'completed' },
    ])
    expect(lines).toEqual([{ type: 'tool', name: 'ls', kind: 'execute', text: '{"command":"ls"}' }])
  })

  it('is reported when the agent asks permission for it, and is found by its id if it has no name there', () => {
    const narrator = openNarrator()
    expect(narrator.describeAsked({ toolCallId: 'w', title: 'Writing to a', kind: 'edit' })).toEqual([
      { type: 'tool', name: 'Writing to a', kind: 'edit', text: '' },
    ])
    expect(
      narrator.describe({ sessionUpdate: 'tool_call_update', toolCallId: 'w', status: 'completed' }),
    ).toEqual([])
    narrator.describe({ sessionUpdate: 'tool_call', toolCallId: 'm', title: 'mcp.umpire.run_gate' })
    narrator.describeAsked({ toolCallId: 'm', kind: 'execute' })
    expect(narrator.factsOf({ toolCallId: 'm' })).toMatchObject({
      title: 'mcp.umpire.run_gate',
      kind: 'execute',
    })
  })

  it('that failed is reported with its error text', () => {
    const content = [{ type: 'content', content: { type: 'text', text: 'Read-only\nfile system' } }]
    const failed = {
      sessionUpdate: 'tool_call_update',
      toolCallId: 'a',
      title: 'touch x',
      status: 'failed',
      content,
    }
    expect(narrate([failed]).lines.at(-1)).toEqual({
      ...{ type: 'note', text: 'a tool call failed: touch x: Read-only file system' },
    })
  })
})

describe('trouble', () => {
  it('is what Codex says after a system error, although it arrives as an ordinary message', () => {
    const { lines, answer, trouble } = narrate([
      { sessionUpdate: 'session_info_update', _meta: { codex: { threadStatus: { type: 'systemError' } } } },
      say('exceeded retry limit, last status: 429 Too Many Requests\n\n'),
    ])
    expect(trouble).toBe('exceeded retry limit, last status: 429 Too Many Requests')
    expect([answer, lines.map(({ type }) => type)]).toEqual(['', ['note']])
  })

  it('is an error at the end, but not one that the agent recovered from', () => {
    const error = { sessionUpdate: 'notice', severity: 'error', title: 'No answer', description: 'HTTP 503' }
    expect(narrate([say('Hm.'), error]).trouble).toBe('No answer: HTTP 503')
    expect(narrate([error, say('Well.')]).trouble).toBeNull()
    expect(narrate([{ ...error, severity: 'warning' }]).trouble).toBeNull()
  })
})

describe('usage', () => {
  const cost = (amount: number, currency = 'USD') => ({
    ...{ sessionUpdate: 'usage_update', used: 1, size: 2, cost: { amount, currency } },
  })

  it('is summed over the prompts of a run, in both formats that agents report', () => {
    const meter = openMeter(() => 'fresh')
    meter.add({ usage: { inputTokens: 10, cachedReadTokens: 5, cachedWriteTokens: 1, outputTokens: 2 } })
    const quota = { token_count: { input_tokens: 100, output_tokens: 20 }, model_usage: [{ model: 'g' }] }
    expect(meter.add({ _meta: { quota } })).toEqual({
      ...{ costUsd: null, tokens: { input: 116, cached: 5, output: 22 }, model: 'g', counts: 'run' },
    })
  })

  it('is null when the agent reports none', () => {
    const meter = openMeter(() => 'fresh')
    expect(
      meter.add({ stopReason: 'end_turn', usage: null, _meta: { quota: { token_count: null } } }),
    ).toBeNull()
    expect(meter.hear(cost(1, 'EUR'))).toBeNull()
    expect(meter.hear(say('x'))).toBeNull()
  })

  it('of a resumed session is only its cost, which covers all runs', () => {
    const meter = openMeter(() => 'resumed')
    expect(meter.hear(cost(0.5))).toMatchObject({ costUsd: 0.5, counts: 'session' })
    expect(meter.add({ usage: { inputTokens: 10, outputTokens: 2 } })).toMatchObject({
      ...{ costUsd: 0.5, tokens: null, counts: 'session' },
    })
  })
})
