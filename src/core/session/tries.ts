/** The failures of the present turn so far. When a turn ends well, the counts start again at zero. */
import type { FailureClass, Retry } from '../task.ts'

export interface Tries {
  failures: number
  /** Runs that disappeared without a result. They cost no retry, but too many in a row count as a crash. */
  losses: number
  /** Runs that met a limit whose end is known. They cost no retry, but Umpire does not wait for ever. */
  waits: number
  /** When the first of these limits was recorded. */
  waitingSince: string | null
  /** Runs whose prompt was too long. After the first of them the prompt is shorter. */
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
