/** The events that the harness appends after witnesses ran. */

import type { NewEvent } from '../../src/core/event.ts'
import type { Loop } from '../../src/core/loop.ts'
import type { ProofOutcome } from '../../src/core/review/review-record.ts'
import { lastRun, weigh } from '../../src/core/review/witness-proof.ts'
import type { Step } from '../../src/core/step.ts'

const exitCodes = { proven: 1, unproven: 0, unclear: 127, 'not run': null } satisfies Record<
  ProofOutcome,
  number | null
>

export function witnessed(
  { issues, tree, review }: Step & { do: 'witness' },
  next: () => ProofOutcome | undefined,
  { review: { ledger, cycle }, policy }: Loop,
): NewEvent[] {
  return ledger
    .filter(({ number }) => issues.includes(number))
    .map((issue): NewEvent => {
      const { number, witness } = issue
      const last = lastRun(issue)
      const known = last?.tree === tree && last.outcome !== 'not run' ? last.outcome : null
      const outcome = known ?? (witness === null ? 'unproven' : (next() ?? 'proven'))
      const ran = { outcome, exitCode: exitCodes[outcome], output: `It is ${outcome}.\n` }
      const data = { issue: number, ...ran, witness, tree, review, cycle }
      const severity = weigh(issue, outcome, policy?.proof ?? 'off')
      return { type: 'issue.proven', data: review === null ? data : { ...data, severity } }
    })
}
