/** What agents can do in a played world, and the names that tests use for it. */
import type { ReportedIssue, Review } from '../../src/core/review/review.ts'
import type { FailureClass, Retry } from '../../src/core/task.ts'

/** Changed line ranges by file. */
export type Touched = Record<string, [number, number][]>

/** How any agent's session can end before its work is done. */
type Trouble =
  | { does: 'fails'; class?: FailureClass; retryAt?: string; retry?: Retry }
  | { does: 'vanishes' }
  | { does: 'is-interrupted' }

export type DeveloperTurn =
  | {
      does: 'works' | 'times-out' | 'gives-up'
      tree?: string
      touched?: Touched
      claimed?: boolean
      /** What it changed outside its worktree: something harmless, or something that git runs. */
      strays?: 'harmlessly' | 'into hooks'
    }
  | { does: 'changes-nothing' }
  | Trouble

export type ReviewerTurn =
  | { does: 'approves' }
  | { does: 'judges'; review: Partial<Review>; tree?: string }
  | { does: 'is-unreadable'; why?: string }
  /** Answers in free text in which no channel finds a verdict, so that a parser is needed. */
  | { does: 'speaks-freely' }
  | { does: 'tampers' }
  | Trouble

/** What a parser makes of such an answer. */
export type ParserTurn = Exclude<ReviewerTurn, { does: 'speaks-freely' }>

/** How a merge into the base ends. `breaks` means that git itself fails. */
export type LandTurn = 'lands' | 'conflicts' | 'is-refused' | 'fails-gate' | 'waits' | 'carries' | 'breaks'

export const works = (touched: Touched = {}): DeveloperTurn => ({ does: 'works', touched })
export const worksTo = (tree: string): DeveloperTurn => ({ does: 'works', tree })
export const worksOn: DeveloperTurn = { does: 'works', claimed: false }
export const changesNothing: DeveloperTurn = { does: 'changes-nothing' }
export const timesOut: DeveloperTurn = { does: 'times-out' }
/** Says that it can't do the task, after some work. */
export const givesUp: DeveloperTurn = { does: 'gives-up' }

export const approves = { does: 'approves' } as const
export const unreadable = { does: 'is-unreadable' } as const
export const tampers = { does: 'tampers' } as const
export const speaksFreely: ReviewerTurn = { does: 'speaks-freely' }
export const judges = (review: Partial<Review>): ParserTurn => ({ does: 'judges', review })
export const requests = (...issues: Partial<ReportedIssue>[]): ParserTurn =>
  judges({
    verdict: 'CHANGES_REQUESTED',
    summary: 'Not yet.',
    issues: (issues.length > 0 ? issues : [{}]).map(finding),
  })

export const fails = (failureClass: FailureClass = 'crash') =>
  ({ does: 'fails', class: failureClass }) as const
/** Hits a rate limit with a known end. */
export const isLimited = (retryAt: string) => ({ does: 'fails', class: 'rate_limited', retryAt }) as const
export const isTooLong = { does: 'fails', class: 'crash', retry: 'shorter' } as const
export const vanishes = { does: 'vanishes' } as const
export const isInterrupted = { does: 'is-interrupted' } as const

/** By default a blocking issue about the whole work. */
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
