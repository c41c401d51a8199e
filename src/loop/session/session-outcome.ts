/** Decides how a session ended. Exit codes count more than anything the agent said. */
import type { Agent, Failure } from '../../agents/agent.ts'
import type { AttemptEnd } from '../../attempts/attempt.ts'
import { isWriter, type Role, type SessionOutcome } from '../../core/session/session.ts'
import type { FailureClass } from '../../core/task.ts'
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
    return failed(
      'timeout',
      `The ${session.role} reached its time limit of ${minutes(session.limitMs)}.${lastWait(heard)}`,
    )
  if (heard.failure) return failedBy(heard.failure)
  // The exit code is that of the kill, so it is ignored.
  if (end.kind === 'quiet') return { kind: 'done' }
  const { answered, lastErrors, called } = heard
  // An error that a test or a package manager got from a server does not mean that the model refused the agent. Once the
  // agent has called a tool, the lines on standard error may come from the tool.
  const stderr = called?.length === 0 ? lastErrors.join('\n') : ''
  const explained = explain?.({ code: end.code, stderr, answered })
  if (explained) return failedBy(explained)
  if (end.code !== 0) {
    const lastError = heard.lastErrors.at(-1)
    const words = lastError ? `: ${lastError.slice(0, 500)}` : '.'
    return failed('crash', `it ended with exit code ${end.code}${words}`)
  }
  if (!isWriter(session.role) && heard.handedIn === 0 && !heard.structured && heard.answer.trim() === '') {
    return failed('crash', 'it ended without an answer.')
  }
  return { kind: 'done' }
}

/** The class of a failure that the agent reported itself, or its adapter. */
export function failedBy({ class: failureClass, text: detail, retryAt, retry }: Failure): SessionOutcome {
  return { kind: 'failed', class: failureClass, detail, retryAt, ...(retry && { retry }) }
}

function failed(failureClass: FailureClass, detail: string): SessionOutcome {
  return { kind: 'failed', class: failureClass, detail, retryAt: null }
}

/** Some agents wait forever. Then the time was not spent on the work, and the message says so. */
function lastWait({ waiting }: Pick<Report, 'waiting'>): string {
  return waiting === null ? '' : ` In the end it was only waiting: ${waiting}`
}

function minutes(ms: number): string {
  return ms >= 120_000 ? `${Math.round(ms / 60_000)} minutes` : `${ms / 1000} seconds`
}
