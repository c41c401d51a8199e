/** How a session ended, in the words of the loop. Exit codes count before anything the agent said. */
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
      `The ${session.role} ran out of its ${minutes(session.limitMs)}.${lastWait(heard)}`,
    )
  if (heard.failure) return failedBy(heard.failure)
  // Its exit code is that of the kill.
  if (end.kind === 'quiet') return { kind: 'done' }
  const { answered, lastErrors, called } = heard
  // What a test or a package manager was refused by somebody is not what the agent was refused by its model. As soon as it
  // called a tool, the lines may be the tool's.
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

/** By what the agent itself said, or its adapter of it. */
export function failedBy({ class: failureClass, text: detail, retryAt, retry }: Failure): SessionOutcome {
  return { kind: 'failed', class: failureClass, detail, retryAt, ...(retry && { retry }) }
}

function failed(failureClass: FailureClass, detail: string): SessionOutcome {
  return { kind: 'failed', class: failureClass, detail, retryAt: null }
}

/** Some never give up: then it is not the work that took so long. */
function lastWait({ waiting }: Pick<Report, 'waiting'>): string {
  return waiting === null ? '' : ` At the end it only waited: ${waiting}`
}

function minutes(ms: number): string {
  return ms >= 120_000 ? `${Math.round(ms / 60_000)} minutes` : `${ms / 1000} seconds`
}
