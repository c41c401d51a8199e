/** What becomes of the ledger, and of its tally, when something is said of an issue. */

import type { StoredEvent } from '../event.ts'
import type { Loop } from '../loop.ts'
import { tallyOpened, tallyProven, tallyResolved } from './churn.ts'
import { withOpened, withResolved } from './ledger.ts'
import { withProof } from './proof.ts'
import { waived } from './waive.ts'

type IssueEvent = StoredEvent & { type: 'issue.opened' | 'issue.resolved' | 'issue.proven' | 'issue.waived' }

export function issueChanged(loop: Loop, { type, data }: IssueEvent): Partial<Loop> {
  const { ledger, tally } = loop
  switch (type) {
    case 'issue.opened':
      return { ledger: withOpened(ledger, data), tally: tallyOpened(tally, ledger, data) }
    case 'issue.resolved':
      return { ledger: withResolved(ledger, data), tally: tallyResolved(tally, ledger, data) }
    case 'issue.proven':
      return { ledger: withProof(ledger, data), tally: tallyProven(tally, ledger, data) }
    case 'issue.waived':
      return waived(loop, data)
  }
}
