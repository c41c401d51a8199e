/**
 * What a reviewer is told that requested changes although no issue blocks. That is not an approval either, so the reviewer
 * is asked once more, with the facts. Issues are named by number only, so that no agent's text gets into this message.
 */
import type { LedgerIssue } from './ledger-issue.ts'
import { isUnproven, lastRun } from './proof.ts'

export function withoutGrounds(ledger: LedgerIssue[]): string {
  const open = ledger.filter(({ status }) => status === 'open')
  const facts = [
    fact(ledger, ({ status }) => status === 'waived', 'was waived by a person', 'were waived by a person'),
    fact(open, ({ late }) => late, ...found),
    fact(open, hasPassed, ...passed),
    fact(open, (issue) => isUnproven(issue) && !hasPassed(issue), ...lacking),
    fact(open, (issue) => !issue.late && !isUnproven(issue), 'is advisory', 'are advisory'),
  ].filter(Boolean)
  const why = facts.length > 0 ? `: ${facts.join('; ')}` : ''
  return (
    `Your review requested changes, but none of its issues is blocking${why}. Either name what blocks, with file and line, ` +
    'or approve.'
  )
}

const found = [
  'was found late, on lines that did not change since your last review',
  'were found late, on lines that did not change since your last review',
] as const

const passed = [
  'has a witness that passes on this tree, which shows no such issue',
  'have witnesses that pass on this tree, which show no such issues',
] as const

const lacking = ['has no witness that proves it', 'have no witness that proves them'] as const

function hasPassed(issue: LedgerIssue): boolean {
  return isUnproven(issue) && issue.witness !== null && lastRun(issue)?.outcome === 'unproven'
}

function fact(
  ledger: LedgerIssue[],
  isMeant: (issue: LedgerIssue) => boolean,
  one: string,
  many: string,
): string {
  const numbers = ledger.filter(isMeant).map(({ number }) => number)
  if (numbers.length === 0) return ''
  return numbers.length === 1 ? `issue ${numbers[0]} ${one}` : `issues ${numbers.join(', ')} ${many}`
}
