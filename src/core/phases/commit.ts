/** Committing the developer's work, and what follows when a hook refuses the commit. */
import type { EventData } from '../event.ts'
import { type Change, changes, type Loop } from '../loop.ts'
import { recoveryWhileAwaiting } from '../person/recovery.ts'
import { isNamedLimit } from '../policy/failure.ts'
import type { Terms } from '../policy/terms.ts'
import { noTries } from '../session/session.ts'
import { blockedEvent, gateFailed, gateFeedback, gaveUpDetail, names, recorded } from '../step.ts'
import { mergeCommitted } from './resolve.ts'
import type { Placed, Ruling } from './ruling.ts'

export function decideCommit(loop: Placed, terms: Terms): Ruling {
  const { refusal } = loop.check
  const { overdue, gaveUp } = loop.turn
  if (refusal && overdue) {
    const detail = `${overdue} ${keptInWorktree}`
    return recorded(gateFeedback(loop, [refusal]), blockedEvent(loop, 'timeout', detail))
  }
  if (refusal && gaveUp) {
    const detail = `${gaveUpDetail(gaveUp)} ${keptInWorktree}`
    return recorded(gateFeedback(loop, [refusal]), blockedEvent(loop, 'needs_discussion', detail))
  }
  if (refusal) return gateFailed(loop, terms, [refusal])
  const { uncommitted } = loop.work
  if (!uncommitted) return { go: terms.stopsAfter === 'review' ? 'check' : 'develop' }
  return { do: 'commit', session: uncommitted, subject: commitSubject(loop) }
}

const keptInWorktree = 'A hook refused the commit, so its work is still in the worktree.'

function commitSubject({ work: { head }, task, turn: { feedback } }: Loop): string {
  // The first commit gets the task's title, even if a hook refused it the first time.
  if (!head || head.empty) return task.title
  const said = feedback?.said
  if (said?.from === 'review' && said.cycle > 0) return `Address review feedback (cycle ${said.cycle})`
  if (said?.from === 'review') return 'Address review feedback'
  if (said?.from === 'gate') return `Fix failing gate ${names(said.gates)}`
  return said?.from === 'person' ? 'Address a note' : task.title
}

export function committed(loop: Loop, commit: EventData['loop.committed']): Change {
  const { sha, tree, empty } = commit
  const { gates } = loop.check
  const { tries } = loop.turn
  const isSameTree = loop.work.head?.tree === tree
  return changes(
    isSameTree ? {} : withoutApproval(loop),
    {
      turn: {
        phase: 'check',
        // If the loop waits for a reviewer's limit, committing a person's changes does not end that limit.
        tries: tries.last && isNamedLimit(tries.last) ? tries : noTries,
      },
      work: { head: { sha, tree, empty }, uncommitted: null },
      // On the same tree, the gates' results still count.
      check: { gates: gates?.tree === tree ? gates : null, refusal: null },
    },
    mergeCommitted(loop, commit),
  )
}

/** A person's commit on top of finished work withdraws the approval, because that commit was not reviewed. */
function withoutApproval(loop: Loop): Change {
  const change: Change = { landing: { approval: null }, review: { unparsed: null, panel: [] } }
  if (loop.standing.status !== 'completed') return change
  const recovery = recoveryWhileAwaiting(loop)
  return changes(change, { standing: { status: 'awaiting_review', verdict: null, recovery } })
}
