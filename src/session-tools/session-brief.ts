/** The description of a session that Umpire left for the session's server when it started the session. */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { sessionFile } from '../attempts/attempt.ts'
import { UserError } from '../core/errors.ts'
import { readRegular } from '../lib/file/read-regular.ts'

export interface SessionBrief {
  /** The repository's `.umpire` folder. */
  home: string
  session: string
  token: string
  task: number
  role: string
  /** The tools that this agent is offered. */
  tools: string[]
}

const longest = 1_000_000

export async function readSessionBrief(folder: string): Promise<SessionBrief> {
  const path = join(folder, sessionFile)
  const text = await readRegular(path, longest)
  if (text === null) {
    const found = await stat(path).catch((error: NodeJS.ErrnoException) => error.code)
    const why = typeof found === 'string' ? found : 'Umpire did not write this file'
    throw new UserError(`${path} can't be read (${why}).`, 'Pass the folder of the session.')
  }
  const brief = parseSessionBrief(text)
  if (brief) return brief
  throw new UserError(
    `${path} has been changed since Umpire wrote it.`,
    'Do not change the files of a session.',
  )
}

function parseSessionBrief(text: string): SessionBrief | null {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null
  }
  const fields = new Map(Object.entries(typeof value === 'object' && value !== null ? value : {}))
  const [home, session, token, task] = ['home', 'UMPIRE_SESSION', 'UMPIRE_TOKEN', 'UMPIRE_TASK'].map((key) =>
    fields.get(key),
  )
  const tools = fields.get('tools')
  if (typeof home !== 'string' || typeof session !== 'string' || typeof token !== 'string') return null
  if (!Number.isSafeInteger(Number(task)) || !Array.isArray(tools)) return null
  const role = String(fields.get('UMPIRE_ROLE') ?? '')
  return {
    home,
    session,
    token,
    task: Number(task),
    role,
    tools: tools.filter((tool) => typeof tool === 'string'),
  }
}
