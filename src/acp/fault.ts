/**
 * What went wrong in a conversation, as text: an error from the agent, the agent's end, or an objection of Umpire's.
 */
import { RequestError } from '@agentclientprotocol/sdk'
import { type JsonRecord, parseJsonLine, recordIn, recordsIn, textIn } from '../agents/json-line.ts'
import type { Fault } from './client-protocol.ts'

/** `never`: a retry would fail in the same way. `agent`: the text is the agent's own. */
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

/** Some agents pass on the provider's answer unchanged. */
function plainWords(text: string): string {
  return textIn(recordIn(parseJsonLine(text.trim())?.error).message) || text
}

/** How to log in, in the agent's own words. */
export function loginWords(initialized: JsonRecord): string {
  const ways = recordsIn(initialized.authMethods).map(({ name, description }) =>
    [textIn(name), textIn(description)].filter((text) => text !== '').join(': '),
  )
  return ways.join('; ')
}
