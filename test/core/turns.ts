/** What agents can do in a played world, and the words for it that tests use. */
import type { ReportedIssue, Review } from '../../src/core/review.ts'
import type { FailureClass } from '../../src/core/task.ts'

/** Changed line ranges by file. */
export type Touched = Record<string, [number, number][]>

/** How any agent's session can end before it did its work. */
type Trouble =
  | { does: 'fails'; class?: FailureClass; retryAt?: string }
  | { does: 'vanishes' }
  | { does: 'is-interrupted' }

export type DeveloperTurn =
  | { does: 'works' | 'times-out'; tree?: string; touched?: Touched; claimed?: boolean }
  | { does: 'changes-nothing' }
  | Trouble

export type ReviewerTurn =
  | { does: 'approves' }
  | { does: 'judges'; review: Partial<Review>; tree?: string }
  | { does: 'is-unreadable'; why?: string }
  | { does: 'tampers' }
  | Trouble

/** What comes of a merge into the base: `breaks` is git itself failing. */
export type LandTurn = 'lands' | 'conflicts' | 'is-refused' | 'fails-gate' | 'waits' | 'breaks'

export const works = (touched: Touched = {}): DeveloperTurn => ({ does: 'works', touched })
export const worksTo = (tree: string): DeveloperTurn => ({ does: 'works', tree })
export const worksOn: DeveloperTurn = { does: 'works', claimed: false }
export const changesNothing: DeveloperTurn = { does: 'changes-nothing' }
export const timesOut: DeveloperTurn = { does: 'times-out' }

export const approves: ReviewerTurn = { does: 'approves' }
export const unreadable: ReviewerTurn = { does: 'is-unreadable' }
export const tampers: ReviewerTurn = { does: 'tampers' }
export const judges = (review: Partial<Review>): ReviewerTurn => ({ does: 'judges', review })
export const requests = (...issues: Partial<ReportedIssue>[]): ReviewerTurn =>
  judges({
    verdict: 'CHANGES_REQUESTED',
    summary: 'Not yet.',
    issues: (issues.length > 0 ? issues : [{}]).map(finding),
  })

export const fails = (failureClass: FailureClass = 'crash') =>
  ({ does: 'fails', class: failureClass }) as const
export const vanishes = { does: 'vanishes' } as const
export const isInterrupted = { does: 'is-interrupted' } as const

/** A blocking issue of the whole work, unless said otherwise. */
export function finding(given: Partial<ReportedIssue> = {}): ReportedIssue {
  return {
    id: null,
    file: null,
    line: null,
    section: null,
    type: 'other',
    severity: 'blocking',
    description: 'It does not do what the task asks.',
    suggestion: null,
    witness: null,
    status: null,
    ...given,
  }
}

/** The same outcome again and again. */
export function times<T>(count: number, outcome: T): T[] {
  return Array.from({ length: count }, () => outcome)
}
