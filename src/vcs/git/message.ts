/**
 * The text of a commit and its author. The subject is one line, whatever the title contains. A cut title follows in
 * full below, and the trailer comes last.
 */
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

/** True if this attempt's commit already exists: its worker died before it could record the commit. */
export function isMarked(message: string, attempt: string): boolean {
  return message.split('\n').includes(trailerOf(attempt))
}

export function subjectOf(message: string): string {
  return message.split('\n', 1)[0] ?? ''
}

function trailerOf(attempt: string): string {
  return `Attempt: ${attempt}`
}

/** For commits that are Umpire's own, and for users without a configured name. */
export const umpireIdentity = {
  GIT_AUTHOR_NAME: 'Umpire',
  GIT_AUTHOR_EMAIL: 'umpire@localhost',
  GIT_COMMITTER_NAME: 'Umpire',
  GIT_COMMITTER_EMAIL: 'umpire@localhost',
}
