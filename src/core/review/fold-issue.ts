/** What the events of an issue change in the ledger and in its tally. */
import type { EventData } from '../event.ts'
import type { Change, Loop } from '../loop.ts'
import { tallyOpened, tallyProven, tallyResolved } from './churn.ts'
import { withOpened, withResolved } from './ledger.ts'
import { withProof } from './proof.ts'

export function issueOpened({ review: { ledger, tally } }: Loop, data: EventData['issue.opened']): Change {
  return { review: { ledger: withOpened(ledger, data), tally: tallyOpened(tally, ledger, data) } }
}

export function issueResolved(
  { review: { ledger, tally } }: Loop,
  data: EventData['issue.resolved'],
): Change {
  return { review: { ledger: withResolved(ledger, data), tally: tallyResolved(tally, ledger, data) } }
}

export function issueProven({ review: { ledger, tally } }: Loop, data: EventData['issue.proven']): Change {
  return { review: { ledger: withProof(ledger, data), tally: tallyProven(tally, ledger, data) } }
}
