/** The ledger of issues as `show` prints it: a line per issue, the changes per review, and the witness results. */
import type { CycleTally } from '../core/review/churn.ts'
import type { LedgerIssue, Proven } from '../core/review/review-record.ts'
import { isUnproven } from '../core/review/witness-proof.ts'
import { oneLine } from '../lib/text/printable.ts'

/** `Issues (1 open, 2 resolved, 1 waived)`. */
export function ledgerTitle(ledger: LedgerIssue[]): string {
  const count = (status: LedgerIssue['status']) => ledger.filter((issue) => issue.status === status).length
  const waived = count('waived') > 0 ? `, ${count('waived')} waived` : ''
  return `Issues (${count('open')} open, ${count('resolved')} resolved${waived})`
}

/** Open blocking issues come first. */
export function issueLines(ledger: LedgerIssue[]): string[] {
  return ledger.toSorted((one, other) => rank(one) - rank(other)).map(issueLine)
}

function rank(issue: LedgerIssue): number {
  return (issue.status === 'open' ? 0 : 2) + (issue.severity === 'blocking' ? 0 : 1)
}

function issueLine(issue: LedgerIssue): string {
  const place =
    issue.file === null ? '' : ` ${oneLine(issue.file)}${issue.line === null ? '' : `:${issue.line}`}`
  const marks = [
    issue.severity,
    issue.late ? 'late' : '',
    isUnproven(issue) ? 'unproven' : '',
    issue.proof?.outcome === 'proven' ? howProven(issue.proof, issue.since) : '',
    issue.reopened > 0 ? `reopened ${issue.reopened} times` : '',
    `opened in ${issue.openedIn}`,
    issue.status === 'resolved' ? `resolved in ${issue.resolvedIn}` : '',
    issue.waived ? `waived by ${oneLine(issue.waived.by, 40)}: ${oneLine(issue.waived.why)}` : '',
  ]
  const told = marks.filter(Boolean).join(', ')
  return `${issue.number}. ${issue.status} ${issue.type}${place} (${told}): ${oneLine(issue.description, Number.POSITIVE_INFINITY)}`
}

/** `proven in review 1, passes now`: a pass on a later tree does not undo the proof on the earlier one. */
function howProven({ outcome, cycle }: Proven, since: Proven | null, code = ''): string {
  const later = since && sinceThen[since.outcome]
  return later ? `${outcome} in review ${cycle}${code}, ${later}` : `${outcome}${code}`
}

const sinceThen: Record<Proven['outcome'], string> = {
  proven: 'still fails',
  unproven: 'passes now',
  unclear: 'is inconclusive now',
  'not run': '',
}

/** A row for each review that changed the ledger. One review alone gets no table: its issues say as much. */
export function tallyRows(tally: CycleTally[]): string[] {
  if (tally.length < 2) return []
  const rows = tally.map(({ cycle, opened, resolved, reopened, blocking }) => [
    ...[cycle, opened, resolved, reopened].map(String),
    `${blocking.opened.length} and ${blocking.resolved.length}`,
  ])
  const table = [['review', 'opened', 'resolved', 'reopened', 'blocking opened and resolved'], ...rows]
  const widths = [0, 1, 2, 3].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)))
  return table.map((row) => row.map((cell, column) => cell.padStart(widths[column] ?? 0)).join('  '))
}

/** The command of each witness, how it ended, and the last line it printed. */
export function witnessLines(ledger: LedgerIssue[]): string[] {
  return ledger.flatMap(({ number, witness, proof, since }) => {
    if (witness === null || proof === null) return []
    const code = proof.exitCode === null ? '' : ` (exit code ${proof.exitCode})`
    const last = proof.output.trim().split('\n').at(-1) ?? ''
    const said = last === '' ? '' : `: ${oneLine(last, 200)}`
    return [`${number}. ${howProven(proof, since, code)}  ${oneLine(JSON.stringify(witness), 200)}${said}`]
  })
}
