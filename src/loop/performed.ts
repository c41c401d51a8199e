/** The outcome of a step: the events that record it, and what is left to do once they are in the journal. */
import type { NewEvent } from '../core/event.ts'

export interface Performed {
  /** Empty if the step was not taken because the task changed first. Then the next step is decided again. */
  events: NewEvent[]
  /** Runs once the events are in the journal: starts what they announce, or deletes what they have recorded. */
  afterwards?: () => Promise<void>
}
