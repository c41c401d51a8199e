/** What Umpire noticed about the tests in the change, as facts that a review has to answer one by one. */
import type { WeakenedFact, WeakenedTests } from '../weakened-tests/fact.ts'
import { paragraphs, untrusted } from './untrusted.ts'

/** A reviewer can be asked to answer at most this many facts. */
export const mostFacts = 40

/** `room` is the number of characters for the list. Null when there is nothing to answer. */
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
    'Umpire found these in the diff. It does not know the reasons behind them. Answer each of them in the summary of your ' +
      'review, by its number. Either it is justified by the task: say by which part. Or it is not: then list it as an issue ' +
      'as well, with file and line. A test or a check that was weakened to make it pass is a blocking issue.',
    untrusted(lines.join('\n')),
    left > 0 && `And ${left} more of the same kind: look for them in the change yourself.`,
  ).trimEnd()
}

function renderFact(number: number, { kind, file, line, text }: WeakenedFact): string {
  return `${number}. ${kind} ${JSON.stringify(file)}${line === null ? '' : `:${line}`}: ${text}`
}
