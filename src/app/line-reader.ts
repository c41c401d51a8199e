/** Turns a line that an agent printed into readable text. Many agents print JSON, which is hard for a person to read. */
import type { Agent, AgentEvent } from '../agents/agent.ts'
import { builtInAgents } from '../agents/built-in.ts'
import { readPlainText } from '../agents/command.ts'
import { UserError } from '../core/errors.ts'
import type { Message } from '../store/archive.ts'
import { readConfig } from './read-config.ts'
import type { Repository } from './repository.ts'
import { createSettings } from './settings.ts'

type Reader = Pick<Agent, 'read' | 'readStderr'>

/** Returns null for a line that is of no use to a person. */
export type ReadLine = (agent: string, message: Pick<Message, 'source' | 'content'>) => string | null

export function createLineReader(readerFor: (agent: string) => Reader): ReadLine {
  return (agent, { source, content }) => {
    const { read, readStderr } = readerFor(agent)
    const events = source === 'stdout' ? read(content) : (readStderr?.(content) ?? [])
    const words = events.map((event) => wordsOf(event, agent)).filter((text) => text !== null)
    if (words.length > 0) return words.join('\n')
    return source === 'stderr' && content.trim() !== '' ? content : null
  }
}

export interface LineReader {
  words: ReadLine
  /** Whether the next line of the same kind may continue the text, as with agents that print their text in pieces. */
  isPiece(agent: string, message: Pick<Message, 'source' | 'content'>): boolean
}

/** For a command that needs nothing else from the configuration, and must work even if the configuration is invalid. */
export async function openLineReader(repository: Repository): Promise<LineReader> {
  const readerFor = await findReaders(repository)
  return {
    words: createLineReader(readerFor),
    isPiece(agent, { source, content }) {
      const events = source === 'stdout' ? readerFor(agent).read(content) : []
      return events.length > 0 && events.every((event) => event.type === 'delta')
    },
  }
}

async function findReaders(repository: Repository): Promise<(agent: string) => Reader> {
  try {
    const { config } = await readConfig(repository)
    const { root, env } = repository
    return createSettings({ config, root, env, effort: null }).readerFor
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    const known = (name: string) => builtInAgents.find((agent) => agent.name === name)
    return (name) => known(name) ?? { read: readPlainText }
  }
}

function wordsOf(event: AgentEvent, agent: string): string | null {
  switch (event.type) {
    case 'text':
    case 'delta':
    case 'answer':
    case 'failure':
    case 'other':
      return event.text
    case 'tool':
      return `${event.name} ${event.text}`.trimEnd()
    case 'broken-tools':
      return `The session's tools do not work: ${event.text}`
    case 'waiting':
      return `${agent} is waiting: ${event.text}`
    // It repeats the text of the answer, for programs.
    case 'structured':
    case 'session':
    case 'usage':
    case 'finished':
    case 'recovered':
      return null
  }
}
