/** The text of a commit and its author. One subject line whatever the title holds, the whole title below when it was cut, the trailer last. */
const maxSubject = 72

export function renderMessage(title: string, attempt: string): string {
  const plain = title
    .replace(/\p{Cc}+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  const trailer = trailerOf(attempt)
  if (plain === '') return `Work of attempt ${attempt}\n\n${trailer}\n`
  const letters = [...plain]
  if (letters.length <= maxSubject) return `${plain}\n\n${trailer}\n`
  return `${letters
    .slice(0, maxSubject - 1)
    .join('')
    .trimEnd()}…\n\n${plain}\n\n${trailer}\n`
}

/** True when this attempt's commit was made before, by somebody who died before it could be recorded. */
export function isMarked(message: string, attempt: string): boolean {
  return message.split('\n').includes(trailerOf(attempt))
}

export function subjectOf(message: string): string {
  return message.split('\n', 1)[0] ?? ''
}

function trailerOf(attempt: string): string {
  return `Attempt: ${attempt}`
}

/** For commits that are nobody's work, and for a person who has no name set. */
export const umpireIdentity = {
  GIT_AUTHOR_NAME: 'Umpire',
  GIT_AUTHOR_EMAIL: 'umpire@localhost',
  GIT_COMMITTER_NAME: 'Umpire',
  GIT_COMMITTER_EMAIL: 'umpire@localhost',
}
