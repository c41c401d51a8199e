/** WIRE: Anthropic's Messages, which Claude Code speaks. */
import { recordsIn, textIn } from '../../src/agents/json-line.ts'
import { type Answer, inTwo, type Json, sentEvent, type Turn, textOf, usage, type Wire } from './wire.ts'

const used = {
  input_tokens: usage.input,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: usage.output,
}

const kinds: Record<number, string> = {
  401: 'authentication_error',
  429: 'rate_limit_error',
  500: 'api_error',
  529: 'overloaded_error',
}

export const anthropic: Wire = {
  name: 'anthropic',
  modelIn: (path, body) => (path.endsWith('/messages') ? textIn(body.model) : null),
  read(body) {
    const turns = recordsIn(body.messages).flatMap(({ role, content }): Turn[] => {
      if (role === 'assistant') return [{ who: 'model' }]
      if (typeof content === 'string') return [{ who: 'user', text: content }]
      return recordsIn(content).flatMap((part): Turn[] => {
        if (part.type === 'tool_result') return [{ who: 'tool', result: textOf(part.content) }]
        return part.type === 'text' ? [{ who: 'user', text: textIn(part.text) }] : []
      })
    })
    const tools = recordsIn(body.tools).map((tool) => textIn(tool.name))
    return { system: textOf(body.system), turns, tools, groups: {}, schema: null }
  },
  writing: (path, content) => ({ tool: 'Write', input: { file_path: path, content } }),
  running: (command) => ({ tool: 'Bash', input: { command, description: 'Scripted' } }),
  whole: (answer, { id, model }) => ({
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [block(answer, id)],
    stop_reason: 'tool' in answer ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: used,
  }),
  stream(answer, ask) {
    const message = anthropic.whole(answer, ask)
    const begun = { ...message, content: [], stop_reason: null, usage: { ...used, output_tokens: 1 } }
    const isCall = 'tool' in answer
    const empty = isCall ? { ...block(answer, ask.id), input: {} } : { type: 'text', text: '' }
    const pieces = inTwo(isCall ? JSON.stringify(answer.input) : answer.text).map((piece) =>
      isCall ? { type: 'input_json_delta', partial_json: piece } : { type: 'text_delta', text: piece },
    )
    return [
      sentEvent('message_start', { message: begun }),
      sentEvent('content_block_start', { index: 0, content_block: empty }),
      ...pieces.map((delta) => sentEvent('content_block_delta', { index: 0, delta })),
      sentEvent('content_block_stop', { index: 0 }),
      sentEvent('message_delta', {
        delta: { stop_reason: message.stop_reason, stop_sequence: null },
        usage: { output_tokens: usage.output },
      }),
      sentEvent('message_stop', {}),
    ]
  },
  refusal: (status) => ({
    type: 'error',
    error: { type: kinds[status] ?? 'invalid_request_error', message: `Scripted ${status}` },
  }),
}

function block(answer: Answer, id: string): Json {
  if ('tool' in answer) return { type: 'tool_use', id: `toolu_${id}`, name: answer.tool, input: answer.input }
  return { type: 'text', text: answer.text }
}
