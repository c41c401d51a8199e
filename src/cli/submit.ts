import { sessionsAround } from '../app/refuse-in-session.ts'
import { openRepository } from '../app/repository.ts'
import { type Bearer, type Recognised, recognise, takeHandIn } from '../app/take-hand-in.ts'
import { UserError } from '../core/errors.ts'
import { parseDeveloperWord } from '../core/session/developer-word.ts'
import { readText } from './arguments.ts'
import type { Invocation } from './invocation.ts'
import { print } from './screen/output.ts'

export async function submit(file: string, invocation: Invocation): Promise<void> {
  const { cwd, env } = invocation
  const [session, ...around] = sessionsAround(env)
  if (session === undefined)
    throw new UserError(
      'umpire submit works only inside an agent session.',
      'Umpire starts these sessions. Agents call umpire submit there.',
    )
  const { UMPIRE_TOKEN: token = '', UMPIRE_ROLE: role = '', UMPIRE_TASK: task } = env
  const bearer: Bearer = { session, token, role, task: Number(task), around, by: 'umpire submit' }
  const { home } = await openRepository(cwd, env)
  const found = await recognise(bearer, home)
  if (found.kind === 'refused') throw new UserError(found.why, found.fix)
  const body = await readText(file, invocation)
  const refusal = await takeHandIn(bearer, found, body, home)
  if (refusal) throw new UserError(refusal.why, refusal.fix)
  print(handedIn(found, body), invocation)
}

function handedIn({ role }: Recognised, body: string): string {
  if (role !== 'developer' && role !== 'resolver') return 'Your review was handed in.'
  return parseDeveloperWord(body).kind === 'gave up'
    ? 'Noted: the task can’t be done, and a person will be asked.'
    : 'Noted: the task is complete.'
}
