/** Classifies a model provider's error by its HTTP status and its text. The same for all agents. */
import { noSuchModel } from '../core/policy/failure.ts'
import { oneLine } from '../lib/text/printable.ts'
import type { Failure } from './agent.ts'
import { resetTime } from './reset-time.ts'

export interface ModelError {
  text: string
  /** The HTTP status, if it is known from elsewhere than the text. */
  status: number | null
  /** How to log in to this agent. */
  login: string
  now: Date
}

export function modelFailure({ text, status: known, login, now }: ModelError): Failure {
  const said = oneLine(text, 500)
  const status = known ?? statusIn(text)
  const failed = (kind: Failure['class'], words = said, retry?: Failure['retry']): Failure => ({
    class: kind,
    text: words,
    retryAt: null,
    ...(retry && { retry }),
  })
  // Checked before the status: providers answer 400, 413 or 404 here, and only the text says what is wrong.
  if (tooLong.test(text)) {
    const words = `The conversation is too long for the model’s context: ${sentence(said)}`
    return failed('crash', words, 'shorter')
  }
  const retryAt = resetTime(text, now)
  // Waiting does not help, and another agent would get the same answer.
  if (noCredit.test(text) && retryAt === null) return failed('auth', `The account needs attention: ${said}`)
  if (noModel.test(text)) {
    return failed('crash', `${noSuchModel}: set another model for the role. ${sentence(said)}`, 'never')
  }
  if (usedUp.test(text) || noCredit.test(text) || status === 429) {
    return { class: 'rate_limited', text: said, retryAt }
  }
  if (status === 401 || status === 403 || noLogin.test(text))
    return failed('auth', `${sentence(said)} To log in: ${login}`)
  if ((status !== null && status >= 500) || overloaded.test(text)) return failed('overloaded')
  return failed('crash')
}

function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`
}

function statusIn(text: string): number | null {
  const written = /\b(?:status:?|HTTP|API Error:|code:?)\s*([45]\d\d)\b/i.exec(text)?.[1]
  return written ? Number(written) : null
}

const tooLong =
  /prompt is too long|input is too long|input exceeds the maximum length|maximum context length|exceeds the maximum number of tokens|context_length_exceeded|exceeds? the context window|context window exceeded|ran out of room in the model.s context window/i
const noCredit =
  /credit balance (?:is )?too low|out of credits|quota exceeded\. check your plan|insufficient_quota|spend (?:cap|limit)|upgrade to plus: /i
const noModel =
  /model_not_found|model not found|models\/\S+ is not found|model .{1,80} (?:does not exist|may not exist|is not supported)|issue with the selected model|model: [\w.-]+ was not found/i
const usedUp =
  /usage limit|exceeded your (?:current )?quota|exhausted your [\w ]*quota|quota increase|rate[ _-]?limit|hit your [\w -]*limit|too many requests/i
const noLogin =
  /not logged in|api[ _]key not valid|auth method|must specify the \w+_API_KEY|please run \/login|failed to authenticate|invalid (?:x-)?api[ -]key|authentication_(?:error|failed)|oauth token|unauthorized|codex login|missing environment variable|log in again|sign in again/i
const overloaded =
  /overloaded|at capacity|high demand|capacity unavailable|server error|stream disconnected|connection (?:error|failed|refused|reset)|unable to connect|fetch failed|econnre|enotfound|network|timed out/i

export function crash(text: string, retry?: Failure['retry']): Failure {
  return { class: 'crash', text, retryAt: null, ...(retry && { retry }) }
}
