/**
 * PORT: what was spent, what is reserved, and how to reserve more. All of it follows from the journal, except a
 * reservation between its grant and the append of the session's start.
 */
import type { Account, Budget, BudgetWarning, Grant } from '../core/schedule/budget.ts'
import type { Role } from '../core/session/session.ts'

export interface Spending {
  /**
   * Checks and reserves in one step, so that two requests at once, here or in another process, never both get the last
   * dollar. The reservation lasts until the journal contains the session's start, which then counts instead, or until
   * the worker has released the loop or died. `warnings` are those that were not given yet.
   */
  reserve(request: ReservationRequest): Promise<Reservation>
  /** What `reserve` would answer now, and the state of the budgets that have a limit. */
  estimate(request: SpendingRequest): Promise<{ grant: Grant; accounts: Account[] }>
  /** The state of the budgets that have a limit. */
  accounts(limits: Budget, of: AccountsOf): Promise<Account[]>
  /** The number of the latest run, and of the most expensive task. Null if there is none. */
  notable(): Promise<{ run: number | null; task: number | null }>
}

export interface Reservation {
  grant: Grant
  warnings: BudgetWarning[]
  /** The state of the budgets, without what was just granted to the same loop. */
  withoutOwn: Account[]
}

export interface AccountsOf {
  /** Null for a future task, which has spent nothing. */
  task: number | null
  run: number | null
  day: { name: string; since: string }
}

export interface SpendingRequest extends AccountsOf {
  role: Role
  agent: string
  /** Null if the agent chooses by itself. Then all its sessions count. */
  model: string | null
  limits: Budget
}

export interface ReservationRequest extends SpendingRequest {
  session: string
  task: number
  /** The worker that holds the loop. */
  worker: string
}
