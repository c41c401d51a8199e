/** How a session ended, in the words of the loop. Exit codes count before anything the agent said. */
import type { Agent } from '../agents/agent.ts'
import type { AttemptEnd } from '../attempts/attempt.ts'
import type { Role, SessionOutcome } from '../core/event.ts'
import type { FailureClass } from '../core/task.ts'
import type { Report } from './transcript.ts'

export type Ended = Exclude<AttemptEnd, { kind: 'lost' }>

export function sessionOutcome(
  end: Ended,
  session: { role: Role; limitMs: number; idleMs: number },
  heard: Report & { handedIn: number },
  explain?: Agent['explain'],
): SessionOutcome {
  switch (end.kind) {
    case 'aborted':
      return { kind: 'interrupted' }
    case 'idle':
      return failed('idle', `it printed nothing for ${minutes(session.idleMs)}.`)
    case 'quiet':
    case 'exited':
      break
  }
  if (end.kind === 'exited' && end.overdue)
    return failed('timeout', `The ${session.role} ran out of its ${minutes(session.limitMs)}.`)
  if (heard.failure) {
    const { class: failureClass, text, retryAt } = heard.failure
    return failed(failureClass, text, retryAt)
  }
  // Its exit code is that of the kill.
  if (end.kind === 'quiet') return { kind: 'done' }
  if (end.code !== 0) {
    const explained = explain?.({ code: end.code, stderr: heard.lastErrors.join('\n') })
    if (explained) return failed(explained.class, explained.text, explained.retryAt)
    const lastError = heard.lastErrors.at(-1)
    const words = lastError ? `: ${lastError.slice(0, 500)}` : '.'
    return failed('crash', `it ended with exit code ${end.code}${words}`)
  }
  if (
    session.role === 'reviewer' &&
    heard.handedIn === 0 &&
    !heard.structured &&
    heard.answer.trim() === ''
  ) {
    return failed('crash', 'it ended without an answer.')
  }
  return { kind: 'done' }
}

function failed(failureClass: FailureClass, detail: string, retryAt: string | null = null): SessionOutcome {
  return { kind: 'failed', class: failureClass, detail, retryAt }
}

function minutes(ms: number): string {
  return ms >= 120_000 ? `${Math.round(ms / 60_000)} minutes` : `${ms / 1000} seconds`
}
