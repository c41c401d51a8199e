/**
 * What an agent hands in, by `umpire submit` or by a tool of its session. It is checked here so that the agent can mend it,
 * and written into its attempt's folder so that it counts even if no Umpire is there; whether it is valid is judged again
 * when it is collected.
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

/** Who speaks, by what it was given at its start. */
export interface Bearer {
  session: string
  token: string
  /** What it says that it is; believed only where nobody can be asked. */
  role: string
  task: number
  /** Sessions of other names that the process belongs to, the outermost last. */
  around: string[]
  /** How it speaks, for the record of what was refused: `umpire submit`, or a tool's name. */
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
  /** Null when the database could not be read. */
  loop: Loop | null
}

/**
 * The running session that speaks, if it is the one that it says it is. What is refused is remembered. A sandbox may keep it
 * from the database, and a newer Umpire may have changed that since the agent was started: then it is taken at its word,
 * because its token is looked at again when what it hands in is collected.
 */
export async function recognise(bearer: Bearer, home: string): Promise<Recognised | Refusal> {
  const { session, around } = bearer
  // An agent that names another session than the one it runs in wants to speak for somebody else.
  if (around.length > 0) {
    const why = `This process belongs to session ${around.at(-1)}, not to ${session}.`
    return refused(bearer, home, why, 'Hand in under your own session.')
  }
  try {
    const store = await openExistingStore({ home })
    if (!store)
      return { kind: 'refused', why: `There is no session ${session}.`, fix: 'Nothing was ever filed here.' }
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
  if (!row || !loop)
    return refuse(`There is no session ${session}.`, 'Leave the UMPIRE_ variables as they were given.')
  if (row.status !== 'running')
    return refuse(`Session ${session} has ended.`, 'It is too late to hand something in.')
  if (sha256(token) !== row.tokenHash)
    return refuse(`The token is not that of session ${session}.`, 'Leave UMPIRE_TOKEN as it was given.')
  return { kind: 'recognised', role: row.role, task: row.task, loop }
}

/** Takes what a recognised session hands in. Null when it was taken. */
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
  // A reviewer that has spoken already and now says something else, however badly, has not made itself clear.
  if (problem && (isFirst || works)) return refused(bearer, home, problem.why, problem.fix)
  const outcome = await handIn(attempts, session, { token, body })
  if (outcome === 'accepted') return null
  const why = works
    ? 'This session has handed in already, and the first one counts.'
    : outcome === 'already-handed-in'
      ? 'This session has handed in already; that was the same again, and changes nothing.'
      : 'This session has handed in already; a different second one makes the review unreadable.'
  return refused(bearer, home, why, 'There is nothing more to do.')
}

/** Refuses, and remembers that: a person sees later what an agent tried. */
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
    'A developer hands in {"complete":true}, or {"fail":"why"} when it can’t, and nothing else; a review is the reviewer’s.'
  return { why: word.why, fix }
}

/** Judged as it will be at collection, so that the agent hears now what would otherwise make its review unreadable. */
function reviewProblem(body: string, loop: Loop | null): Problem | null {
  const against = {
    minScore: loop?.policy?.minScore ?? 0,
    ...knownIn(loop?.review.ledger ?? []),
  }
  const judged = judge({ answer: '', handedIn: [body] }, ['tool'], against)
  if (judged.kind === 'review') return null
  return {
    why: `The review can't be taken: ${judged.why}.`,
    fix: 'Mend it and hand it in again; nothing was taken.',
  }
}
