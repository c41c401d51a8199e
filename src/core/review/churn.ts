/**
 * The tally of the ledger: how many issues each cycle opened, resolved and reopened. If the reviews of a loop find more
 * and more, another revision would not finish it, so the loop stops and shows this tally to the person.
 */
import type { EventData } from '../event.ts'
import type { LedgerIssue } from './review-record.ts'

export interface CycleTally {
  cycle: number
  opened: number
  resolved: number
  reopened: number
  /** The numbers of the issues that began to block in this cycle, and of the blocking issues that it resolved. */
  blocking: { opened: number[]; resolved: number[] }
}

/** The first cycle in which a loop can churn. Before it there are no two revisions to compare. */
const firstCycle = 3

/** Two cycles in a row each opened more blocking issues than they resolved. The first review can only open, so it is exempt. */
export function isChurning(tally: CycleTally[], cycle: number): boolean {
  if (cycle < firstCycle) return false
  return [cycle - 1, cycle].every((number) => {
    const { blocking } = of(tally, number)
    return blocking.opened.length > blocking.resolved.length
  })
}

/** How many cycles the line shows. */
const mostTold = 8

/** "Issues by review: 1: 3 opened; 2: 2 opened, 1 resolved." Empty if there were no issues. */
export function tallyLine(tally: CycleTally[]): string {
  const told = tally.slice(-mostTold).map((row) => `${row.cycle}: ${tallyWords(row)}`)
  if (told.length === 0) return ''
  return `Issues by review: ${tally.length > mostTold ? '… ' : ''}${told.join('; ')}.`
}

function tallyWords({ opened, resolved, reopened }: CycleTally): string {
  const parts: [number, string][] = [
    [opened, 'opened'],
    [resolved, 'resolved'],
    [reopened, 'reopened'],
  ]
  const told = parts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`)
  return told.length > 0 ? told.join(', ') : 'none'
}

/**
 * `ledger` is the state before the event. A known issue in new words does not count as opened, but it may begin to
 * block.
 */
export function tallyOpened(
  tally: CycleTally[],
  ledger: LedgerIssue[],
  { issue: number, cycle, reported, reopened, review }: EventData['issue.opened'],
): CycleTally[] {
  const known = ledger.find((issue) => issue.number === number)
  if (known?.status === 'waived') return tally
  const begins = reported.severity === 'blocking' && (reopened || known?.severity !== 'blocking')
  return changed(tally, cycle, (row) => ({
    ...row,
    opened: row.opened + (known ? 0 : 1),
    reopened: row.reopened + (reopened ? 1 : 0),
    // An issue from a person's verdict does not show that the reviewer keeps finding more.
    blocking: begins && review !== 'person' ? opening(row, number) : row.blocking,
  }))
}

export function tallyResolved(
  tally: CycleTally[],
  ledger: LedgerIssue[],
  { issue: number, cycle }: EventData['issue.resolved'],
): CycleTally[] {
  const known = ledger.find((issue) => issue.number === number)
  if (known?.status !== 'open') return tally
  return changed(tally, cycle, (row) => ({
    ...row,
    resolved: row.resolved + 1,
    blocking:
      known.severity === 'blocking'
        ? { ...row.blocking, resolved: [...row.blocking.resolved, number] }
        : row.blocking,
  }))
}

/** If a witness lowers an issue to advisory, it no longer counts as one that began to block. If it raises it, it does. */
export function tallyProven(
  tally: CycleTally[],
  ledger: LedgerIssue[],
  { issue: number, cycle, severity }: EventData['issue.proven'],
): CycleTally[] {
  const known = ledger.find((issue) => issue.number === number)
  if (severity === undefined || known?.status !== 'open' || known.severity === severity) return tally
  return changed(tally, cycle, (row) => ({
    ...row,
    blocking: severity === 'blocking' ? opening(row, number) : without(row, number),
  }))
}

/** A waived issue does not count as blocking in any cycle. */
export function tallyWaived(tally: CycleTally[], number: number): CycleTally[] {
  return tally.map((row) => ({ ...row, blocking: without(row, number) }))
}

function opening({ blocking }: CycleTally, number: number): CycleTally['blocking'] {
  return { ...blocking, opened: [...blocking.opened.filter((other) => other !== number), number] }
}

function without({ blocking }: CycleTally, number: number): CycleTally['blocking'] {
  return { ...blocking, opened: blocking.opened.filter((other) => other !== number) }
}

function changed(tally: CycleTally[], cycle: number, change: (row: CycleTally) => CycleTally): CycleTally[] {
  const others = tally.filter((row) => row.cycle !== cycle)
  return [...others, change(of(tally, cycle))].sort((one, other) => one.cycle - other.cycle)
}

function of(tally: CycleTally[], cycle: number): CycleTally {
  const none = { cycle, opened: 0, resolved: 0, reopened: 0, blocking: { opened: [], resolved: [] } }
  return tally.find((row) => row.cycle === cycle) ?? none
}
