/** What came of a step: the events that tell it, and what is left to do once they are in the journal. */
import type { NewEvent } from '../core/event.ts'

export interface Performed {
  /** None when the step was not taken, because the task changed before it could be: then it is to be looked at again. */
  events: NewEvent[]
  /** To be done once the events are in the journal: start what they announce, or delete what they have recorded. */
  afterwards?: () => Promise<void>
}
