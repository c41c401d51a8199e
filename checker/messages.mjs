/**
 * The transcripts: numbered without gaps, with as many lines as the session's end says, and only of existing sessions.
 */
import { violation } from './violation.mjs'

export function* checkMessages(tasks, messages) {
  const stored = new Map(messages.map((row) => [row.session_id, row]))
  const sessions = new Set()
  for (const events of tasks.values()) {
    for (const event of events) {
      const { type, data } = event
      if (type === 'session.started') sessions.add(data.session)
      if (type !== 'session.ended') continue
      const count = stored.get(data.session)?.count ?? 0
      if (count !== data.messages) {
        yield violation(
          event,
          `session ${data.session} ended with ${data.messages} messages, ${count} are stored`,
        )
      }
    }
  }
  for (const { session_id: session, count, first, last } of messages) {
    const at = { stream: `task/${session.split('-')[0]}` }
    if (!sessions.has(session))
      yield violation(at, `messages are stored of session ${session}, which never was`)
    else if (first !== 0 || last !== count - 1) {
      yield violation(
        at,
        `of session ${session} ${count} messages are stored, numbered from ${first} to ${last}`,
      )
    }
  }
}
