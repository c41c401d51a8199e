/** What went wrong at the present turn so far. A turn that ends well starts anew. */
import type { FailureClass, Retry } from '../task.ts'

export interface Tries {
  failures: number
  /** Runs whose keeper vanished. They cost no retry, but too many in a row count as a crash. */
  losses: number
  /** Runs that met a limit that named its own end. They cost no retry, but the waiting has an end. */
  waits: number
  /** When the first of them was recorded. */
  waitingSince: string | null
  /** Runs whose prompt was too long. After the first there is a shorter one. */
  tooLong: number
  last: LastFailure | null
}

export interface LastFailure {
  class: FailureClass
  detail: string
  at: string
  retryAt: string | null
  retry: Retry | null
  agent: string
}

export const noTries: Tries = {
  failures: 0,
  losses: 0,
  waits: 0,
  waitingSince: null,
  tooLong: 0,
  last: null,
}
