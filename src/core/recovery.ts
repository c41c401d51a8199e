/** What a person can type next, for each way a task can stop. The first command is the one that most often helps. */
import { noSuchModel } from './failure.ts'
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
  const improve = `umpire improve ${id}`
  if (loop.phase === 'land') return recoveryOfLanding(reason, loop)
  switch (reason) {
    case 'max_cycles':
      return [reviews, improve, `umpire edit ${id} --max-cycles ${loop.cycle + 1}`, retry, ...approve]
    case 'changes_requested':
      if (loop.task.type === 'review')
        return [reviews, `umpire add "Address the review" -t improve --of ${id}`, ...approve]
      return [reviews, improve, retry, ...approve]
    case 'needs_discussion':
      if (loop.gaveUp) return recoveryFromGivingUp(loop, approve)
      return [reviews, `${improve} --note "…"`, retry, ...approve]
    case 'rejected':
      return [reviews, `${improve} --note "…"`, retry, ...approve]
    case 'malformed_review':
    case 'reviewer_tampered':
      return [reviews, `umpire log ${id} --role reviewer`, retry, ...approve]
    case 'dependency':
      return [`umpire show ${loop.task.of}`, retry]
    // What it said instead of changing something is in its log alone.
    case 'stalled':
      return [
        `${log} --role developer`,
        show,
        ...(loop.head ? [`${improve} --note "…"`] : []),
        retry,
        ...approve,
      ]
    case 'churning':
    case 'gate':
      return [show, ...(loop.head ? [`${improve} --note "…"`] : []), retry, ...approve]
    case 'timeout':
      return loop.status === 'in_progress' && loop.overdue ? [`umpire diff ${id}`, retry] : [log, retry]
    case 'crash':
      return [...otherModel(loop), log, retry]
    default:
      return [log, retry]
  }
}

/** A parser's model is named in the configuration alone. */
function otherModel({ id, phase, tries: { last }, unparsed }: Loop): string[] {
  if (!last?.detail.includes(noSuchModel) || unparsed) return []
  return [`umpire edit ${id} ${phase === 'develop' ? '--model' : '--review-model'} NAME`]
}

/** The developer says that it can't: it is given what it lacks, or the task is put otherwise. */
function recoveryFromGivingUp({ id, head }: Loop, approve: string[]): string[] {
  const log = `umpire log ${id} --role developer`
  const retry = `umpire retry ${id}`
  // Where nothing was changed there is nothing to improve or to approve.
  if (!head || head.empty) return [log, `umpire edit ${id} -d "…"`, retry]
  return [log, `umpire improve ${id} --note "…"`, retry, ...approve]
}

/** The work is done and waits for a review that only a person starts. */
export function recoveryWhileAwaiting({ id }: Loop): string[] {
  return [`umpire review ${id}`, `umpire diff ${id}`, `umpire edit ${id} --verdict APPROVED`]
}

/** The work is approved, and it is its base that stands in the way. */
function recoveryOfLanding(reason: BlockReason | FailReason, { id, landing, place }: Loop): string[] {
  const merge = `umpire merge ${id}`
  if (reason === 'conflict' && place) {
    const resolve = `git -C ${quoted(`.umpire/${place.worktree}`)} merge ${quoted(place.base)}`
    return [resolve, `umpire review ${id}`, merge]
  }
  if (reason === 'checkout_dirty' && landing !== 'begun' && landing?.kind === 'waits') {
    // Not the branch, which an agent may have moved meanwhile; nor the commit, which would be there when it is taken back.
    const result = quoted(landing.ref ?? landing.branch)
    return [`git -C ${quoted(landing.checkout)} merge --ff-only ${result}`, merge]
  }
  if (reason === 'gate') return [`umpire show ${id}`, `umpire improve ${id}`, merge]
  // The branch may hold what nobody has judged.
  return reason === 'vcs' ? [`umpire review ${id}`, merge] : [`umpire log ${id}`, merge]
}

/** As one word of a command line that a person can paste. */
function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
