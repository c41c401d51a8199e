/** What a person can type next, for each way a task can stop. The first command is the one that most often helps. */
import type { Loop } from './loop.ts'
import type { BlockReason, FailReason } from './task.ts'

export function recoveryFrom(reason: BlockReason | FailReason, loop: Loop): string[] {
  const { id } = loop
  const show = `umpire show ${id}`
  const reviews = `umpire reviews ${id}`
  const retry = `umpire retry ${id}`
  const log = `umpire log ${id}`
  // What no commit holds can't be approved.
  const approve = loop.refusal ? [] : [`umpire edit ${id} --verdict APPROVED`]
  switch (reason) {
    case 'max_cycles':
      return [reviews, `umpire edit ${id} --max-cycles ${loop.cycle + 1}`, retry, ...approve]
    case 'changes_requested':
    case 'needs_discussion':
    case 'rejected':
      return [reviews, retry, ...approve]
    case 'malformed_review':
    case 'reviewer_tampered':
      return [reviews, `umpire log ${id} --role reviewer`, retry, ...approve]
    case 'stalled':
    case 'churning':
    case 'gate':
      return [show, retry, ...approve]
    case 'timeout':
      return loop.status === 'in_progress' && loop.overdue ? [`umpire diff ${id}`, retry] : [log, retry]
    default:
      return [log, retry]
  }
}
