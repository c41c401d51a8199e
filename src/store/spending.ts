/**
 * PORT: what was spent, what is reserved, and reservations of what may still be spent. All of it follows from the journal,
 * except reservations of the moment between the grant and the append of the session's start.
 */
import type { Account, Budget, BudgetWarning, Grant } from '../core/schedule/budget.ts'
import type { Role } from '../core/session/session.ts'

export interface Spending {
  /**
   * Looks and reserves in one step, so that two who ask at once, here or in another process, never both get the last
   * dollar. The reservation holds until the session's start is in the journal, which then says it itself, or until the
   * worker has let go of the loop or is dead. `warnings` are those that were not said yet.
   */
  reserve(request: ReservationRequest): Promise<Reservation>
  /** What `reserve` would say now, and how the budgets stand that have a limit. */
  foresee(request: SpendingRequest): Promise<{ grant: Grant; accounts: Account[] }>
  /** How the budgets stand that have a limit. */
  accounts(limits: Budget, of: AccountsOf): Promise<Account[]>
  /** The number of the latest run, and of the task that cost most; null when there is none. */
  notable(): Promise<{ run: number | null; task: number | null }>
}

export interface Reservation {
  grant: Grant
  warnings: BudgetWarning[]
  /** How the budgets stand without what was granted to the same loop a moment ago. */
  withoutOwn: Account[]
}

export interface AccountsOf {
  /** Null for one to come, of which nothing is spent. */
  task: number | null
  run: number | null
  day: { name: string; since: string }
}

export interface SpendingRequest extends AccountsOf {
  role: Role
  agent: string
  /** Null where the agent chooses by itself; then all its sessions count. */
  model: string | null
  limits: Budget
}

export interface ReservationRequest extends SpendingRequest {
  session: string
  task: number
  /** Who holds the loop. */
  worker: string
}
