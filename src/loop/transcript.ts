/**
 * Reads a session's lines: stores each as a message, and gathers what the agent said, used and suffered. An adopted
 * session is read again from its first line, because the answer is needed whole; only lines that are not stored yet
 * are stored.
 */
import type { Agent, AgentEvent } from '../agents/agent.ts'
import type { OutputLine } from '../attempts/attempt.ts'
import type { Message } from '../store/archive.ts'
import type { Ports } from './ports.ts'
import { noUsage, type UsageTotal, withUsage } from './usage.ts'

export interface Report {
  answer: string
  /** The answer was longer than can be held: whatever it says, it was not read whole. */
  truncated: boolean
  /** The answer by the schema that was asked for, as JSON text. */
  structured: string | null
  agentSession: string | null
  usage: UsageTotal
  failure: Extract<AgentEvent, { type: 'failure' }> | null
  /** The last lines of standard error. */
  lastErrors: string[]
  messages: number
}

const longestAnswer = 16 * 1024 * 1024

const keptErrors = 20

export type Reader = Pick<Agent, 'read' | 'readStderr' | 'explain'>

export async function openTranscript(session: string, reader: Reader, ports: Ports) {
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
    lastErrors: [],
    messages: 0,
  }

  /** The last piece is one of several that belong together. */
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
        return
      case 'session':
        report.agentSession = event.id
        return
      case 'usage':
        report.usage = withUsage(report.usage, event)
        return
      case 'structured':
        report.structured = event.text
        return
      case 'failure':
        report.failure = event
        return
      case 'recovered':
        report.failure = null
        return
      case 'waiting':
      case 'tool':
      case 'other':
        return
    }
  }

  return {
    async add(source: 'stdout' | 'stderr', lines: OutputLine[]): Promise<void> {
      const rows: Message[] = []
      const at = ports.clock.now().toISOString()
      for (const line of lines) {
        const events = source === 'stdout' ? reader.read(line.text) : (reader.readStderr?.(line.text) ?? [])
        for (const event of events) gather(event)
        if (line.overflow && source === 'stdout') report.truncated = true
        if (source === 'stderr' && line.text.trim())
          report.lastErrors = [...report.lastErrors, line.text.trim()].slice(-keptErrors)
        if (line.end <= stored[source]) continue
        const type = events[0]?.type ?? (source === 'stderr' ? 'stderr' : 'other')
        const content = line.overflow
          ? await ports.longLines.keep(session, sequence, { text: line.text, rest: line.overflow })
          : ports.redact(line.text)
        rows.push({ sequence, source, type, content, end: line.end, at })
        sequence += 1
      }
      if (rows.length > 0) await ports.archive.addMessages(session, rows)
    },
    report: (): Report => ({ ...report, answer: final ?? said.join('\n'), messages: sequence }),
  }
}
