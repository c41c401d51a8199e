/** What the developer is told when a person sends the work back: the person's file, a failed gate, or the last review. */
import type { Loop } from '../loop.ts'
import { openForDeveloper } from '../review/ledger.ts'
import { withoutWaived } from '../review/waive.ts'
import type { FailedGate, Feedback } from '../session/feedback.ts'

/** Null when there is nothing to tell the developer. */
export function feedbackByHand(loop: Loop, note: string | null, text: string | null): Feedback | null {
  const { cycle, last: review, ledger } = loop.review
  const noted = note === null ? {} : { note }
  if (text !== null) return { from: 'review', cycle, summary: text, issues: [], ...noted }
  const afterMerge = failedInLanding(loop)
  if (afterMerge.length > 0) {
    const hint = howToFix(loop)
    return { from: 'gate', gates: afterMerge, note: note === null ? hint : `${note}\n\n${hint}` }
  }
  const gates = failedOnBranch(loop)
  if (gates.length > 0) return { from: 'gate', gates, ...noted }

  const issues = openForDeveloper(ledger)
  const requested = review !== null && review.verdict !== 'APPROVED'
  if (requested) return { from: 'review', cycle, summary: review.summary, issues, ...noted }
  // Feedback without an answer still counts: a person's own verdict, or the review that an improvement began with.
  const outstanding = loop.turn.feedback?.tree === loop.work.head?.tree ? loop.turn.feedback?.said : undefined
  if (outstanding?.from === 'review') return { ...withoutWaived(outstanding, ledger), ...noted }
  if (review && issues.length > 0) return { from: 'review', cycle, summary: review.summary, issues, ...noted }
  return note === null ? null : { from: 'person', note }
}

function failedInLanding({ landing: { outcome: landing } }: Loop): FailedGate[] {
  if (landing === null || landing === 'begun') return []
  if (landing.kind === 'gate') return landing.gates
  if (landing.kind !== 'refused') return []
  const { output } = landing
  return [{ name: 'merge hook', command: 'git merge', exitCode: null, timedOut: false, output }]
}

/** A commit that a hook refused also counts as a failed gate. */
function failedOnBranch({ check: { refusal, gates: check }, work: { head } }: Loop): FailedGate[] {
  const results = check?.tree === head?.tree ? (check?.results ?? []) : []
  const failed = refusal ? [refusal] : results.filter((result) => !result.passed)
  return failed.map(({ passed: _, ...gate }) => gate)
}

/** The gates pass on the developer's own branch, so it must merge the base first to see the failure. */
function howToFix({ work: { place } }: Loop): string {
  return `This fails once the work is merged with ${place?.base}. Merge ${place?.base} into your branch, then fix it.`
}
