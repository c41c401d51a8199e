/**
 * Reads a session's lines: stores each as a message, and gathers what the agent said, used and suffered. An adopted
 * session is read again from its first line, because the answer is needed whole; only lines that are not stored yet
 * are stored.
 */
import type { Agent, AgentEvent } from '../agents/agent.ts'
import type { OutputLine } from '../attempts/attempt.ts'
import type { Message } from '../store/archive.ts'
import type { Ports } from './ports.ts'

export interface Report {
  answer: string
  /** The answer was longer than can be held: whatever it says, it was not read whole. */
  truncated: boolean
  agentSession: string | null
  costUsd: number | null
  tokens: number | null
  failure: Extract<AgentEvent, { type: 'failure' }> | null
  lastError: string
  messages: number
}

const longestAnswer = 16 * 1024 * 1024

export async function openTranscript(session: string, read: Agent['read'], ports: Ports) {
  const stored = await ports.archive.messageEnd(session)
  let sequence = stored.next
  const said: string[] = []
  let length = 0
  let final: string | null = null
  const report: Report = {
    answer: '',
    truncated: false,
    agentSession: null,
    costUsd: null,
    tokens: null,
    failure: null,
    lastError: '',
    messages: 0,
  }

  function gather(event: AgentEvent): void {
    switch (event.type) {
      case 'text':
        length += event.text.length + 1
        if (length > longestAnswer) report.truncated = true
        else said.push(event.text)
        return
      case 'answer':
        final = event.text
        return
      case 'session':
        report.agentSession = event.id
        return
      case 'usage':
        report.costUsd = event.costUsd
        report.tokens = event.tokens
        return
      case 'failure':
        report.failure = event
        return
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
        const events = source === 'stdout' ? read(line.text) : []
        for (const event of events) gather(event)
        if (line.overflow && source === 'stdout') report.truncated = true
        if (source === 'stderr' && line.text.trim()) report.lastError = line.text.trim()
        if (line.end <= stored[source]) continue
        const type = source === 'stderr' ? 'stderr' : (events[0]?.type ?? 'other')
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
