/**
 * WIRE: OpenAI's Responses, which Codex speaks. For a model that it does not know, Codex offers each tool separately.
 * The tools of an MCP server come in a group, and a call must repeat the name of the group.
 */
import { recordsIn, textIn } from '../../src/agents/json-line.ts'
import {
  type Answer,
  type Ask,
  inTwo,
  type Json,
  sentEvent,
  type Turn,
  textOf,
  usage,
  type Wire,
} from './wire.ts'

const codes: Record<number, string> = { 401: 'invalid_api_key', 429: 'rate_limit_exceeded' }

export const responses: Wire = {
  name: 'responses',
  modelIn: (path, body) => (path.endsWith('/responses') ? textIn(body.model) : null),
  read(body) {
    const items = recordsIn(body.input)
    const isSystem = (item: Json) => item.role === 'system' || item.role === 'developer'
    const groups: Record<string, string> = {}
    return {
      system: [textIn(body.instructions), ...items.filter(isSystem).map((item) => textOf(item.content))].join(
        '\n',
      ),
      turns: items.filter((item) => !isSystem(item)).flatMap(turnOf),
      tools: namesIn(recordsIn(body.tools), null, groups),
      groups,
      schema: null,
    }
  },
  writing(path, content, offered) {
    if (!offered.includes('apply_patch')) {
      return responses.running(
        `mkdir -p "$(dirname '${path}')"; printf '%s' '${content}' > '${path}'`,
        offered,
      )
    }
    const lines = content.replace(/\n$/, '').split('\n')
    const patch = [
      '*** Begin Patch',
      `*** Add File: ${path}`,
      ...lines.map((line) => `+${line}`),
      '*** End Patch',
      '',
    ]
    return { tool: 'apply_patch', input: patch.join('\n') }
  },
  running(command, offered) {
    if (offered.includes('shell_command')) return { tool: 'shell_command', input: { command } }
    if (offered.includes('shell')) return { tool: 'shell', input: { command: ['bash', '-c', command] } }
    return { tool: 'exec_command', input: { cmd: command } }
  },
  whole: (answer, ask) => ({
    id: `resp_${ask.id}`,
    object: 'response',
    created_at: 1,
    model: ask.model,
    status: 'completed',
    output: [itemOf(answer, ask)],
    usage: {
      input_tokens: usage.input,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: usage.output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: usage.input + usage.output,
    },
  }),
  stream(answer, ask) {
    const response = responses.whole(answer, ask)
    const item = itemOf(answer, ask)
    const begun = { ...response, status: 'in_progress', output: [], usage: null }
    const empty = 'tool' in answer ? item : { ...item, status: 'in_progress', content: [] }
    const pieces = 'tool' in answer ? [] : inTwo(answer.text)
    return [
      sentEvent('response.created', { response: begun }),
      sentEvent('response.output_item.added', { output_index: 0, item: empty }),
      ...pieces.map((delta) =>
        sentEvent('response.output_text.delta', {
          item_id: item.id,
          output_index: 0,
          content_index: 0,
          delta,
        }),
      ),
      sentEvent('response.output_item.done', { output_index: 0, item }),
      sentEvent('response.completed', { response }),
    ]
  },
  refusal: (status) => ({
    error: { message: `Scripted ${status}`, type: 'scripted_error', code: codes[status] ?? 'server_error' },
  }),
}

function turnOf(item: Json): Turn[] {
  switch (item.type) {
    case 'function_call':
    case 'custom_tool_call':
      return [{ who: 'model' }]
    case 'function_call_output':
    case 'custom_tool_call_output':
      return [
        { who: 'tool', result: typeof item.output === 'string' ? item.output : JSON.stringify(item.output) },
      ]
    case 'message':
      return [item.role === 'assistant' ? { who: 'model' } : { who: 'user', text: textOf(item.content) }]
    default:
      return []
  }
}

function namesIn(tools: Json[], group: string | null, groups: Record<string, string>): string[] {
  return tools.flatMap((tool): string[] => {
    if (tool.type === 'namespace') return namesIn(recordsIn(tool.tools), textIn(tool.name), groups)
    const name = textIn(tool.name) || textIn(tool.type)
    if (group !== null) groups[name] = group
    return [name]
  })
}

function itemOf(answer: Answer, { id, conversation }: Ask): Json {
  if (!('tool' in answer)) {
    const content = [{ type: 'output_text', text: answer.text, annotations: [] }]
    return { type: 'message', id: `msg_${id}`, role: 'assistant', status: 'completed', content }
  }
  const group = conversation.groups[answer.tool]
  const call = {
    call_id: `call_${id}`,
    name: answer.tool,
    ...(group === undefined ? {} : { namespace: group }),
    status: 'completed',
  }
  return typeof answer.input === 'string'
    ? { type: 'custom_tool_call', id: `ctc_${id}`, ...call, input: answer.input }
    : { type: 'function_call', id: `fc_${id}`, ...call, arguments: JSON.stringify(answer.input) }
}
