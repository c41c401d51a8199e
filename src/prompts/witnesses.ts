/** What a reviewer is told about witnesses and about issues that a person waived. */
import type { Proof } from '../core/policy/policy.ts'
import type { LedgerIssue } from '../core/review/review-record.ts'
import { lastRun } from '../core/review/witness-proof.ts'
import { paragraphs, untrusted } from './untrusted.ts'

/** Explains how to give a witness. */
export function askForWitnesses(proof: Proof): string | null {
  if (proof === 'off') return null
  const weight =
    proof === 'require'
      ? 'Only a proven issue blocks, so give every blocking issue a witness.'
      : 'An issue whose witness passes does not block. An issue without a witness counts as you wrote it.'
  return (
    'Give a blocking issue a `witness` where a command can show it: a list of arguments (`["node","--test","x.test.mjs"]`, no ' +
    'shell; `["sh","-c","…"]` where you need one) that fails with exit code 1 to 125 on this tree because of the issue, and ' +
    'passes once it is resolved. Umpire runs it from the top of a fresh checkout, without a network. A command that cannot ' +
    `be found or started, or that takes too long, proves nothing. ${weight}`
  )
}

/** The witness result of an open issue on the tree under review. Results on other trees do not count. */
export function renderWitness(issue: LedgerIssue, tree: string): string | null {
  const { witness } = issue
  const proof = lastRun(issue)
  if (proof === null || witness === null || proof.tree !== tree) return null
  const command = untrusted(JSON.stringify(witness))
  switch (proof.outcome) {
    case 'proven':
      return `Its witness still fails on this tree (exit code ${proof.exitCode}):\n\n${command}`
    case 'unproven':
      return `Its witness passes on this tree:\n\n${command}`
    case 'unclear':
      return `Its witness could not run properly on this tree, so it proves nothing:\n\n${command}`
    case 'not run':
      return null
  }
}

export function renderWaived(waived: LedgerIssue[]): string | null {
  if (waived.length === 0) return null
  const list = waived.map(({ number, type, file, description, waived: by }) =>
    paragraphs(
      `### Issue ${number} (${type})${file === null ? '' : ` ${JSON.stringify(file)}`}`,
      untrusted(description),
      by && `Why it is waived:\n\n${untrusted(by.why)}`,
    ).trimEnd(),
  )
  return paragraphs(
    '## Waived issues\n\nA person decided that these do not matter. They do not block. Do not raise them again.',
    ...list,
  ).trimEnd()
}
