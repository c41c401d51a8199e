/**
 * Reads the lines of a session: stores each as a message, and collects the agent's text, usage and errors. An adopted
 * session is read again from its first line, because the whole answer is needed. Only lines that are not stored yet are
 * stored.
 */
import type { Agent, AgentEvent, Failure } from '../../agents/agent.ts'
import type { OutputLine } from '../../attempts/attempt.ts'
import type { Message } from '../../store/archive.ts'
import type { Ports } from '../ports.ts'
import { noUsage, type UsageTotal, withUsage } from './usage.ts'

export interface Report {
  answer: string
  /** The answer, or a line that may be part of it, was too long for memory, so the answer is incomplete. */
  truncated: boolean
  /** The answer in the requested schema, as JSON text. */
  structured: string | null
  agentSession: string | null
  usage: UsageTotal
  failure: Failure | null
  /** Whether the agent gave a final answer, or said that its turn is over. */
  answered: boolean
  /** What the agent waits for, according to its latest line; null if it has printed something else since. */
  waiting: string | null
  /** The names of the tools that the agent called; null if a line was too long to tell. */
  called: string[] | null
  /** The agent's error if the tools of its session do not work. */
  brokenTools: string | null
  /** The last lines of standard error. */
  lastErrors: string[]
  messages: number
}

const longestAnswer = 16 * 1024 * 1024

const keptErrors = 20

/** More tool names than any agent has. */
const mostTools = 1000

/** Events that show that an agent is not waiting. */
const goesOn = new Set<AgentEvent['type']>([
  'text',
  'delta',
  'answer',
  'structured',
  'tool',
  'finished',
  'recovered',
])

export type Reader = Pick<Agent, 'read' | 'readStderr' | 'explain'>

export async function openTranscript(session: string, reader: Reader, ports: Ports) {
  const { redact } = ports
  const stored = await ports.archive.messageEnd(session)
  let sequence = stored.next
  const said: string[] = []
  let length = 0
  let final: string | null = null
  const report: Report = {
    answer: '',
    truncated: false,
    structured: null,
    agentSession: null,
    usage: noUsage,
    failure: null,
    answered: false,
    waiting: null,
    called: [],
    brokenTools: null,
    lastErrors: [],
    messages: 0,
  }

  /** Whether the last piece is one of several that belong together. */
  let inPieces = false

  function say(text: string, kind: 'text' | 'delta'): void {
    length += text.length + 1
    const joined = kind === 'delta' && inPieces
    inPieces = kind === 'delta'
    if (length > longestAnswer) report.truncated = true
    else if (joined) said.push(`${said.pop() ?? ''}${text}`)
    else said.push(text)
  }

  function gather(event: AgentEvent): void {
    switch (event.type) {
      case 'text':
      case 'delta':
        return say(event.text, event.type)
      case 'answer':
        final = event.text
        // This is the whole answer, even if earlier text was too long.
        report.truncated = false
        report.answered = true
        return
      case 'finished':
        report.answered = true
        return
      case 'session':
        report.agentSession = redact(event.id)
        return
      case 'usage':
        report.usage = withUsage(report.usage, event)
        return
      case 'structured':
        report.structured = event.text
        return
      case 'failure':
        report.failure = { ...event, text: redact(event.text) }
        return
      case 'recovered':
        report.failure = null
        return
      case 'broken-tools':
        report.brokenTools = redact(event.text)
        return
      case 'tool':
        // Text after it is a separate text.
        inPieces = false
        if (report.called && !report.called.includes(event.name))
          report.called = report.called.length < mostTools ? [...report.called, event.name] : null
        return
      case 'waiting':
      case 'other':
        return
    }
  }

  return {
    /** Returns whether it contained anything new. */
    async add(source: 'stdout' | 'stderr', lines: OutputLine[]): Promise<boolean> {
      const rows: Message[] = []
      const at = ports.clock.now().toISOString()
      for (const line of lines) {
        const events = source === 'stdout' ? reader.read(line.text) : (reader.readStderr?.(line.text) ?? [])
        for (const event of events) gather(event)
        const waits = events.find((event) => event.type === 'waiting')
        if (waits || events.some((event) => goesOn.has(event.type)))
          report.waiting = waits ? redact(waits.text) : null
        if (line.overflow && source === 'stdout') {
          report.called = null
          if (mayAnswer(line.text, events, reader)) report.truncated = true
        }
        if (source === 'stderr' && line.text.trim())
          report.lastErrors = [...report.lastErrors, redact(line.text.trim())].slice(-keptErrors)
        if (line.end <= stored[source]) continue
        const type = events[0]?.type ?? (source === 'stderr' ? 'stderr' : 'other')
        const content = line.overflow
          ? await ports.longLines.keep(session, sequence, { text: line.text, rest: line.overflow })
          : redact(line.text)
        rows.push({ sequence, source, type, content, end: line.end, at })
        sequence += 1
      }
      if (rows.length > 0) await ports.archive.addMessages(session, rows)
      return rows.length > 0
    },
    /** The part of the report that is available before the end. */
    soFar: (): Pick<Report, 'agentSession' | 'failure' | 'waiting'> => report,
    report: (): Report => ({ ...report, answer: final ?? said.join('\n'), messages: sequence }),
  }
}

const answers = new Set<AgentEvent['type']>(['text', 'delta', 'answer', 'structured'])

/**
 * Whether a line may be part of the answer, if only its beginning is in memory. The beginning of a JSON line shows its
 * kind. Most of them are the output of a tool.
 */
export function mayAnswer(beginning: string, events: AgentEvent[], reader: Reader): boolean {
  if (events.some(({ type }) => answers.has(type))) return true
  const closed = closeJson(beginning)
  if (closed === null || !/^\s*\{\s*"type"\s*:\s*"/.test(closed)) return true
  return reader.read(closed).some(({ type }) => answers.has(type))
}

/**
 * Closes a JSON object whose text was cut off inside one of its strings, so that the part before can be read. Null if
 * it was cut off elsewhere, or is not JSON.
 */
export function closeJson(text: string): string | null {
  const open: string[] = []
  let inString = false
  let end = text.length
  for (const { 0: token, index } of text.matchAll(/\\(?:u[\da-fA-F]{0,4}|[\s\S])?|["{}[\]]/g)) {
    if (inString) {
      if (token === '"') inString = false
      else if (isCutOff(token) && index + token.length === end) end = index
    } else if (token === '"') inString = true
    else if (token === '{') open.push('}')
    else if (token === '[') open.push(']')
    else if (open.pop() !== token) return null
  }
  if (!inString) return null
  const closed = `${text.slice(0, end)}"${open.reverse().join('')}`
  try {
    JSON.parse(closed)
    return closed
  } catch {
    return null
  }
}

/** The beginning of an escape sequence. */
function isCutOff(token: string): boolean {
  return token === '\\' || (token.startsWith('\\u') && token.length < 6)
}
