/** What a developer handed in: that the task is done, or why it can't do the task. */
export type DeveloperWord =
  | { kind: 'done' }
  | { kind: 'gave up'; why: string }
  | { kind: 'nothing' }
  | { kind: 'malformed'; why: string }

/** Longer texts are cut off, because a person has to read them. */
const longestWhy = 2_000

/** Only the first hand-in counts. */
export function developerWord(handedIn: string[]): DeveloperWord {
  const [body] = handedIn
  return body === undefined ? { kind: 'nothing' } : parseDeveloperWord(body)
}

export function parseDeveloperWord(body: string): DeveloperWord {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    return { kind: 'malformed', why: 'The input is not JSON.' }
  }
  const said = typeof value === 'object' && value !== null ? value : {}
  if ('verdict' in said || 'passed' in said || 'result' in said)
    return { kind: 'malformed', why: 'This is a developer’s session.' }
  const done = 'complete' in said && said.complete === true
  const gaveUp = 'fail' in said
  if (done && gaveUp) return { kind: 'malformed', why: 'The task can’t be both complete and failed.' }
  if (done) return { kind: 'done' }
  if (!gaveUp) return { kind: 'malformed', why: 'This is a developer’s session.' }
  if (typeof said.fail !== 'string' || said.fail.trim() === '')
    return { kind: 'malformed', why: '"fail" must be a text that says why.' }
  return { kind: 'gave up', why: said.fail.trim().slice(0, longestWhy) }
}
