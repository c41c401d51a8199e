/** WIRE: OpenAI's chat completions, which opencode speaks with any provider that calls itself compatible. */
import { recordIn, recordsIn, textIn } from '../../src/agents/json-line.ts'
import { type Answer, inTwo, type Json, sentData, type Turn, textOf, usage, type Wire } from './wire.ts'

export const chat: Wire = {
  name: 'chat',
  modelIn: (path, body) => (path.endsWith('/chat/completions') ? textIn(body.model) : null),
  read(body) {
    const messages = recordsIn(body.messages)
    const isSystem = (message: Json) => message.role === 'system' || message.role === 'developer'
    return {
      system: messages
        .filter(isSystem)
        .map((message) => textOf(message.content))
        .join('\n'),
      turns: messages
        .filter((message) => !isSystem(message))
        .map((message): Turn => {
          if (message.role === 'assistant') return { who: 'model' }
          const text = textOf(message.content)
          return message.role === 'tool' ? { who: 'tool', result: text } : { who: 'user', text }
        }),
      tools: recordsIn(body.tools).map((tool) => textIn(recordIn(tool.function).name)),
      groups: {},
      schema: null,
    }
  },
  writing: (path, content) => ({ tool: 'write', input: { filePath: path, content } }),
  running: (command) => ({ tool: 'bash', input: { command, description: 'Scripted' } }),
  whole: (answer, { id, model }) => ({
    id: `chatcmpl-${id}`,
    object: 'chat.completion',
    created: 1,
    model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: 'tool' in answer ? null : answer.text,
          ...('tool' in answer ? { tool_calls: calls(answer, id) } : {}),
        },
        finish_reason: reason(answer),
      },
    ],
    usage: used,
  }),
  stream(answer, { id, model }) {
    const piece = (rest: Json) =>
      sentData({ id: `chatcmpl-${id}`, object: 'chat.completion.chunk', created: 1, model, ...rest })
    const deltas: Json[] =
      'tool' in answer
        ? [{ role: 'assistant', content: null, tool_calls: calls(answer, id) }]
        : [{ role: 'assistant', content: '' }, ...inTwo(answer.text).map((content) => ({ content }))]
    return [
      ...deltas.map((delta) => piece({ choices: [{ index: 0, delta, finish_reason: null }] })),
      piece({ choices: [{ index: 0, delta: {}, finish_reason: reason(answer) }] }),
      piece({ choices: [], usage: used }),
      'data: [DONE]\n\n',
    ]
  },
  refusal: (status) => ({
    error: { message: `Scripted ${status}`, type: 'scripted_error', code: String(status) },
  }),
}

const used = {
  prompt_tokens: usage.input,
  completion_tokens: usage.output,
  total_tokens: usage.input + usage.output,
}

function calls(answer: Answer, id: string): Json[] {
  if (!('tool' in answer)) return []
  const call = { name: answer.tool, arguments: JSON.stringify(answer.input) }
  return [{ index: 0, id: `call_${id}`, type: 'function', function: call }]
}

function reason(answer: Answer): string {
  return 'tool' in answer ? 'tool_calls' : 'stop'
}
