/**
 * Takes the review or result that an agent hands in, by `umpire submit` or by a tool of its session. It is checked here so
 * that the agent can fix it, and written into the folder of its attempt so that it counts even if no Umpire is running.
 * When it is collected, its validity is checked again.
 */
import { join } from 'node:path'
import { handIn, hasHandedIn, noteRefusal } from '../attempts/hand-in.ts'
import { StoreError } from '../core/errors.ts'
import type { Loop } from '../core/loop.ts'
import { knownIn } from '../core/review/ledger.ts'
import { parseDeveloperWord } from '../core/session/developer-word.ts'
import { sha256 } from '../lib/text/sha256.ts'
import type { Store } from '../store/store.ts'
import { judge } from '../verdicts/channels.ts'
import { openExistingStore } from './repository.ts'

/** The session that hands something in, identified by what it received at its start. */
export interface Bearer {
  session: string
  token: string
  /** The role that it claims. It is believed only if the database can't be read. */
  role: string
  task: number
  /** Other sessions that the process belongs to, the outermost last. */
  around: string[]
  /** How it hands in, for the record of refusals: `umpire submit`, or the name of a tool. */
  by: string
}

export interface Refusal {
  kind: 'refused'
  why: string
  /** What to do about it. */
  fix: string
}

export interface Recognised {
  kind: 'recognised'
  role: string
  task: number
  /** Null if the database could not be read. */
  loop: Loop | null
}

/**
 * Checks that the session is the one it claims to be. Refusals are recorded. A sandbox may block the database, or a newer
 * Umpire may have changed its format since the agent started. Then the claim is believed for now, because the token is
 * checked again when the hand-in is collected.
 */
export async function recognise(bearer: Bearer, home: string): Promise<Recognised | Refusal> {
  const { session, around } = bearer
  // An agent that names a session other than its own tries to speak for another agent.
  if (around.length > 0) {
    const why = `This process belongs to session ${around.at(-1)}, not to ${session}.`
    return refused(bearer, home, why, 'Use the UMPIRE_SESSION of your own session.')
  }
  try {
    const store = await openExistingStore({ home })
    if (!store)
      return {
        kind: 'refused',
        why: `There is no session ${session}.`,
        fix: 'This repository has no tasks yet.',
      }
    return await lookUp(bearer, store, home).finally(() => store.close())
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    return { kind: 'recognised', role: bearer.role, task: bearer.task, loop: null }
  }
}

async function lookUp(bearer: Bearer, store: Store, home: string): Promise<Recognised | Refusal> {
  const { session, token } = bearer
  const refuse = (why: string, fix: string) => refused(bearer, home, why, fix)
  const row = await store.archive.session(session)
  const loop = row && (await store.archive.loop(row.task))
  if (!row || !loop) return refuse(`There is no session ${session}.`, 'Do not change the UMPIRE_ variables.')
  if (row.status !== 'running')
    return refuse(`Session ${session} has ended.`, 'It is too late to hand in anything.')
  if (sha256(token) !== row.tokenHash)
    return refuse(`The token does not belong to session ${session}.`, 'Do not change UMPIRE_TOKEN.')
  return { kind: 'recognised', role: row.role, task: row.task, loop }
}

/** Accepts what a recognised session hands in. Returns null if it was accepted. */
export async function takeHandIn(
  bearer: Bearer,
  { role, loop }: Recognised,
  body: string,
  home: string,
): Promise<Refusal | null> {
  const { session, token } = bearer
  const attempts = join(home, 'attempts')
  const isFirst = !(await hasHandedIn(attempts, session, token))
  const works = role === 'developer' || role === 'resolver'
  const problem = works ? developerProblem(body) : reviewProblem(body, loop)
  // A second, different review is stored even if it is malformed: the reviewer contradicts itself, so its verdict is unclear.
  if (problem && (isFirst || works)) return refused(bearer, home, problem.why, problem.fix)
  const outcome = await handIn(attempts, session, { token, body })
  if (outcome === 'accepted') return null
  const why = works
    ? 'This session has already handed in its result. The first one counts.'
    : outcome === 'already-handed-in'
      ? 'This session has already handed in the same review. Handing it in again changes nothing.'
      : 'This session has already handed in a different review. Two different reviews make the verdict unreadable.'
  return refused(bearer, home, why, 'There is nothing more to do.')
}

/** Refuses and records the refusal, so that a person can see later what the agent tried. */
export async function refused(
  { session, around, by }: Bearer,
  home: string,
  why: string,
  fix: string,
): Promise<Refusal> {
  await noteRefusal(join(home, 'attempts'), around.at(-1) ?? session, `${by}: ${why}`)
  return { kind: 'refused', why, fix }
}

interface Problem {
  why: string
  fix: string
}

function developerProblem(body: string): Problem | null {
  const word = parseDeveloperWord(body)
  if (word.kind !== 'malformed') return null
  const fix =
    'A developer may hand in only {"complete":true}, or {"fail":"why"} if it can’t do the task. Only a reviewer hands in a review.'
  return { why: word.why, fix }
}

/** Reads the review as the collection will, so that the agent learns now what would make its review unreadable. */
function reviewProblem(body: string, loop: Loop | null): Problem | null {
  const against = {
    minScore: loop?.policy?.minScore ?? 0,
    ...knownIn(loop?.review.ledger ?? []),
  }
  const judged = judge({ answer: '', handedIn: [body] }, ['tool'], against)
  if (judged.kind === 'review') return null
  return {
    why: `The review can't be accepted: ${judged.why}.`,
    fix: 'Nothing was accepted. Fix the review and hand it in again.',
  }
}
