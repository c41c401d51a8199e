/** What went wrong in a conversation, in words, whoever said it: the agent by an error, its end, or Umpire itself. */
import { RequestError } from '@agentclientprotocol/sdk'
import { type JsonRecord, parseJsonLine, recordIn, recordsIn, textIn } from '../agents/json-line.ts'
import type { Fault } from './line.ts'

/** `never`: another try would come to the same. `agent`: it is in the agent's own words. */
export class ConversationFault extends Error {
  readonly retry: 'never' | null
  readonly by: 'agent' | 'client'

  constructor(message: string, retry: 'never' | null = null, by: 'agent' | 'client' = 'client') {
    super(message)
    this.retry = retry
    this.by = by
  }
}

export function faultOf(error: unknown): Fault {
  if (!(error instanceof RequestError)) {
    if (error instanceof ConversationFault)
      return { text: error.message, by: error.by, code: null, retry: error.retry }
    return {
      text: error instanceof Error ? error.message : String(error),
      by: 'client',
      code: null,
      retry: null,
    }
  }
  const data = recordIn(error.data)
  const details = [error.data, data.details, data.message, data.error].map(textIn).find((text) => text !== '')
  const said = plainWords(textIn(error.message))
  const text = details && details !== said ? `${said}: ${details}` : said
  return { text, by: 'agent', code: error.code, retry: null }
}

/** Some hand on what their model's provider answered, as it came. */
function plainWords(text: string): string {
  return textIn(recordIn(parseJsonLine(text.trim())?.error).message) || text
}

/** How a person logs in, in the agent's own words. */
export function loginWords(initialized: JsonRecord): string {
  const ways = recordsIn(initialized.authMethods).map(({ name, description }) =>
    [textIn(name), textIn(description)].filter((text) => text !== '').join(': '),
  )
  return ways.join('; ')
}
