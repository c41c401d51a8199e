/**
 * What an agent hands in. It is checked here so that the agent can mend it, and written into its attempt's folder so
 * that it counts even if no Umpire is there; whether it is valid is judged again when it is collected.
 */
import { join } from 'node:path'
import { sessionsAround } from '../app/session-guard.ts'
import { handIn, noteRefusal } from '../attempts/hand-in.ts'
import { UserError } from '../core/errors.ts'
import { isLeftOpen } from '../core/ledger.ts'
import type { Loop } from '../core/loop.ts'
import { sha256 } from '../lib/sha256.ts'
import type { SessionRow } from '../store/archive.ts'
import { judge } from '../verdicts/channels.ts'
import { print } from './print.ts'
import { readText } from './read-text.ts'
import { findLoop, readStore } from './with-store.ts'

export async function submit(file: string): Promise<void> {
  const sessions = sessionsAround()
  const [session, ...around] = sessions
  if (session === undefined)
    throw new UserError('umpire submit works only inside an agent session.', 'There is none here.')
  await readStore(
    async (store, { home }) => {
      const attempts = join(home, 'attempts')
      const refuse = async (why: string, fix: string): Promise<never> => {
        await noteRefusal(attempts, around.at(-1) ?? session, `umpire submit: ${why}`)
        throw new UserError(why, fix)
      }
      // An agent that names another session than the one it runs in wants to speak for somebody else.
      if (around.length > 0) {
        return refuse(
          `This process belongs to session ${around.at(-1)}, not to ${session}.`,
          'Hand in under your own session.',
        )
      }
      const row = await store.archive.session(session)
      if (!row)
        return refuse(`There is no session ${session}.`, 'Leave the UMPIRE_ variables as they were given.')
      if (row.status !== 'running')
        return refuse(`Session ${session} has ended.`, 'It is too late to hand something in.')
      const token = process.env.UMPIRE_TOKEN ?? ''
      if (sha256(token) !== row.tokenHash) {
        return refuse(`The token is not that of session ${session}.`, 'Leave UMPIRE_TOKEN as it was given.')
      }
      const body = await readText(file)
      const loop = await findLoop(row.task, store)
      const problem = row.role === 'developer' ? developerProblem(body) : reviewProblem(body, loop)
      if (problem) return refuse(problem.why, problem.fix)
      if ((await handIn(attempts, session, { token, body })) === 'already-handed-in') {
        return refuse(
          'This session has handed in already, and the first one counts.',
          'There is nothing more to do.',
        )
      }
      print(handedIn(row))
    },
    () => {
      throw new UserError(`There is no session ${session}.`, 'Nothing was ever filed here.')
    },
  )
}

interface Problem {
  why: string
  fix: string
}

function developerProblem(body: string): Problem | null {
  const fix = 'A developer hands in {"complete":true} and nothing else; a review is the reviewer’s.'
  try {
    const value: unknown = JSON.parse(body)
    const complete =
      typeof value === 'object' && value !== null && 'complete' in value && value.complete === true
    const review =
      typeof value === 'object' &&
      value !== null &&
      ('verdict' in value || 'passed' in value || 'result' in value)
    return complete && !review ? null : { why: 'This is a developer’s session.', fix }
  } catch {
    return { why: 'What was handed in is not JSON.', fix }
  }
}

/** Judged as it will be at collection, so that the agent hears now what would otherwise make its review unreadable. */
function reviewProblem(body: string, { policy, ledger }: Loop): Problem | null {
  const against = { minScore: policy?.minScore ?? 0, isLeftOpen: isLeftOpen.bind(null, ledger) }
  const judged = judge({ answer: '', handedIn: [body] }, ['tool'], against)
  if (judged.kind === 'review') return null
  return {
    why: `The review can't be taken: ${judged.why}.`,
    fix: 'Mend it and hand it in again; nothing was taken.',
  }
}

function handedIn(row: SessionRow): string {
  return row.role === 'reviewer' ? 'Your review was handed in.' : 'Noted: the task is complete.'
}
