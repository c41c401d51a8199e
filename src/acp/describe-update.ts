/** What a notification of an agent's session says, as lines. Pure but for remembering what was said since when. */
import { type JsonRecord, recordIn, recordsIn, textIn } from '../agents/json-line.ts'
import { oneLine } from '../lib/text/printable.ts'
import type { AcpLine } from './line.ts'

export interface Narrator {
  describe(update: JsonRecord): AcpLine[]
  /** Some agents tell of a tool call only by asking for it. */
  describeAsked(toolCall: JsonRecord): AcpLine[]
  /** All that is known of a tool call; some agents tell of it what it is and then ask for it by its id alone. */
  factsOf(toolCall: JsonRecord): JsonRecord
  /** All that was said since the last tool call. */
  answer(): string
  /** An error that was the last that was heard of it: some agents end their turn as if nothing were wrong. */
  trouble(): string | null
}

export function openNarrator(): Narrator {
  let said: string[] = []
  /** The message that the last piece belonged to, where agents say so; null after anything else than a piece. */
  let message: string | null = null
  let trouble: string | null = null
  let state: 'going' | 'broken' = 'going'
  const calls = new Map<string, { facts: JsonRecord; told: 'yes' | 'no' }>()

  function say(update: JsonRecord): AcpLine[] {
    const text = contentText(update.content)
    if (text === '') return []
    const id = textIn(update.messageId)
    // Codex says that it broke off, and then why, as if the model had said it; only the message's id is missing.
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

  /** Talk before a tool call is no part of the answer, and must not run into it. */
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
      trouble = words.join(': ') || 'The agent tells of an error without a word.'
    return [{ type: 'note', text: oneLine(words.join(': '), 500) }]
  }

  /** Told once, when its input is known: many agents announce a call before they know what it is for. */
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
          trouble ??= 'The agent broke off and does not say why.'
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
