/** What the harness noticed about the tests in the change, as facts that a review has to answer one by one. */
import type { WeakenedFact, WeakenedTests } from '../weakened/fact.ts'
import { paragraphs, untrusted } from './untrusted.ts'

/** As many facts as a reviewer can be asked to answer. */
export const mostFacts = 40

/** `room` is for the list, in characters. Null when there is nothing to answer. */
export function renderWeakened({ facts, more }: WeakenedTests, room: number): string | null {
  if (facts.length === 0) return null
  const lines: string[] = []
  let length = 0
  for (const [index, fact] of facts.entries()) {
    const line = renderFact(index + 1, fact)
    length += line.length + 1
    if (length > room && lines.length > 0) break
    lines.push(line)
  }
  const left = facts.length - lines.length + more
  return paragraphs(
    '## Facts about the tests',
    'Read off the diff by the harness, which does not know why it was done. Answer each of them in the summary of your ' +
      'review, by its number: justified by the task, and by what of it; or not, and then it is an issue as well, with its ' +
      'file and line. A test or a check that was made weaker so that it passes is blocking.',
    untrusted(lines.join('\n')),
    left > 0 && `And ${left} more of the kind: look for them in the change yourself.`,
  ).trimEnd()
}

function renderFact(number: number, { kind, file, line, text }: WeakenedFact): string {
  return `${number}. ${kind} ${JSON.stringify(file)}${line === null ? '' : `:${line}`}: ${text}`
}
