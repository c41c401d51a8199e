/** Turns the notifications of an agent's session into lines, and adds up what it used. Pure, except for its memory. */
import { type JsonRecord, numberIn, recordIn, recordsIn, textIn } from '../agents/json-line.ts'
import { oneLine } from '../lib/text/printable.ts'
import type { AcpLine, AcpUsage } from './client-protocol.ts'

export interface Narrator {
  describe(update: JsonRecord): AcpLine[]
  /** Some agents announce a tool call only by asking permission for it. */
  describeAsked(toolCall: JsonRecord): AcpLine[]
  /** Everything known about a tool call. Some agents describe a call first, and then ask for it by its id alone. */
  factsOf(toolCall: JsonRecord): JsonRecord
  /** The whole text since the last tool call. */
  answer(): string
  /** The last error, unless something came after it. Some agents end their turn normally in spite of an error. */
  trouble(): string | null
}

export function openNarrator(): Narrator {
  let said: string[] = []
  /** The message of the last piece of text, from agents that report it. Null after anything else than text. */
  let message: string | null = null
  let trouble: string | null = null
  let state: 'going' | 'broken' = 'going'
  const calls = new Map<string, { facts: JsonRecord; told: 'yes' | 'no' }>()

  function say(update: JsonRecord): AcpLine[] {
    const text = contentText(update.content)
    if (text === '') return []
    const id = textIn(update.messageId)
    // Codex reports that its stream broke, and then the reason as if the model had said it. Only the message id is
    // missing.
    if (state === 'broken' && id === '') {
      trouble = text.trim()
      return [{ type: 'note', text: oneLine(text, 500) }]
    }
    state = 'going'
    trouble = null
    const goesOn = message === id && said.length > 0
    message = id
    if (goesOn) said.push(`${said.pop() ?? ''}${text}`)
    else said.push(text)
    return goesOn || said.length === 1 ? [{ type: 'delta', text }] : [paragraph, { type: 'delta', text }]
  }

  /** Text before a tool call is not part of the answer, and must not be joined to it. */
  function begin(): AcpLine[] {
    const before: AcpLine[] = said.length > 0 ? [paragraph] : []
    said = []
    message = null
    trouble = null
    return before
  }

  function notice(update: JsonRecord): AcpLine[] {
    const words = [update.title, update.description].map(textIn).filter((text) => text !== '')
    if (update.severity === 'error')
      trouble = words.join(': ') || 'The agent reported an error without a message.'
    return [{ type: 'note', text: oneLine(words.join(': '), 500) }]
  }

  /** Reported once, when its input is known: many agents announce a call before they know its input. */
  function tool(update: JsonRecord, asked: 'asked' | 'told'): AcpLine[] {
    const id = textIn(update.toolCallId)
    const known = calls.get(id)
    const facts = { ...known?.facts, ...update }
    const isFilled = known !== undefined && Object.keys(recordIn(update.rawInput)).length > 0
    const isDue = asked === 'asked' || isFilled || !['pending', ''].includes(textIn(facts.status))
    calls.set(id, { facts, told: isDue || known?.told === 'yes' ? 'yes' : 'no' })
    if (known?.told === 'yes') return []
    return [...(known ? [] : begin()), ...(isDue ? [describeCall(facts)] : [])]
  }

  return {
    describe(update) {
      switch (update.sessionUpdate) {
        case 'agent_message_chunk':
          return say(update)
        case 'agent_thought_chunk':
          return [{ type: 'thought', text: contentText(update.content) }]
        case 'tool_call':
          return [...tool(update, 'told'), ...describeFailed(update)]
        case 'tool_call_update':
          return [...tool(update, 'told'), ...describeFailed(update)]
        case 'plan':
          return [{ type: 'plan', text: planText(update) }]
        case 'notice':
          return notice(update)
        case 'session_info_update':
          if (recordIn(recordIn(recordIn(update._meta).codex).threadStatus).type !== 'systemError') return []
          state = 'broken'
          trouble ??= 'The agent stopped in the middle of its turn and gave no reason.'
          return []
        default:
          return []
      }
    },
    describeAsked: (toolCall) => tool(toolCall, 'asked'),
    factsOf: (toolCall) => calls.get(textIn(toolCall.toolCallId))?.facts ?? toolCall,
    trouble: () => trouble,
    answer: () => said.join('\n\n'),
  }
}

const paragraph: AcpLine = { type: 'paragraph' }

function describeCall(call: JsonRecord): AcpLine {
  const input = call.rawInput === undefined ? '' : (JSON.stringify(call.rawInput) ?? '')
  const name = oneLine(textIn(call.name) || textIn(call.title), 200)
  return { type: 'tool', name, kind: textIn(call.kind), text: oneLine(input, 2000) }
}

function contentText(content: unknown): string {
  const block = recordIn(content)
  return block.type === 'text' ? textIn(block.text) : ''
}

function describeFailed(update: JsonRecord): AcpLine[] {
  if (update.status !== 'failed') return []
  const words = recordsIn(update.content).map(({ content }) => contentText(content))
  const output = textIn(recordIn(recordIn(update._meta).terminal_output_delta).data)
  const said = [textIn(update.title), ...words, output].filter((text) => text !== '')
  return [
    {
      type: 'note',
      text: `a tool call failed${said.length > 0 ? `: ${oneLine(said.join(': '), 500)}` : ''}`,
    },
  ]
}

function planText(update: JsonRecord): string {
  const mark: Record<string, string> = { completed: '[x]', in_progress: '[>]' }
  return recordsIn(update.entries)
    .map(({ status, content }) => `${mark[textIn(status)] ?? '[ ]'} ${oneLine(textIn(content), 200)}`)
    .join('\n')
}

/**
 * What a run used. An agent reports tokens in the answer to each prompt, in one of two places or not at all, and only
 * for that prompt. It reports the cost in notifications, for the whole session including earlier runs. So for a resumed
 * session the two can't be combined, and only the cost, which matters more, is reported.
 */
interface Meter {
  /** What is known after a notification. Null if it was about something else. */
  hear(update: JsonRecord): AcpUsage | null
  /** The same, after the answer to a prompt. */
  add(turn: JsonRecord): AcpUsage | null
}

export function openMeter(session: () => 'fresh' | 'resumed'): Meter {
  let costUsd: number | null = null
  let tokens: AcpUsage['tokens'] = null
  let model: string | null = null

  function total(): AcpUsage | null {
    if (costUsd === null && tokens === null) return null
    if (session() === 'resumed' && costUsd !== null)
      return { costUsd, tokens: null, model, counts: 'session' }
    return { costUsd, tokens, model, counts: 'run' }
  }

  return {
    hear(update) {
      const { amount, currency } = recordIn(update.cost)
      const cost = update.sessionUpdate === 'usage_update' && currency === 'USD' ? numberIn(amount) : null
      if (cost === null) return null
      costUsd = cost
      return total()
    },
    add(turn) {
      const own = tokensOf(turn)
      const before = tokens ?? { input: 0, cached: 0, output: 0 }
      if (own) {
        tokens = {
          input: before.input + own.input,
          cached: before.cached + own.cached,
          output: before.output + own.output,
        }
      }
      model = textIn(recordsIn(recordIn(recordIn(turn._meta).quota).model_usage)[0]?.model) || model
      return total()
    },
  }
}

function tokensOf(turn: JsonRecord): AcpUsage['tokens'] {
  const told = recordIn(turn.usage ?? recordIn(recordIn(turn._meta).quota).token_count)
  const count = (...keys: string[]) => {
    const key = keys.find((each) => told[each] !== undefined)
    return (key !== undefined && numberIn(told[key])) || 0
  }
  const input = count('inputTokens', 'input_tokens')
  const output = count('outputTokens', 'output_tokens')
  if (input + output === 0) return null
  // Cache reads and writes are counted separately from the input.
  const cached = count('cachedReadTokens')
  return { input: input + cached + count('cachedWriteTokens'), cached, output }
}
