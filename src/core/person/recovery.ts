/** What a person can type next, for each way a task can stop. The command that helps most often comes first. */
import { applyChange, type Loop } from '../loop.ts'
import { noSuchModel } from '../policy/failure.ts'
import { openBlocking } from '../review/ledger.ts'
import { carriedRecovery } from '../schedule/carried-work.ts'
import { landsOn } from '../standing.ts'
import type { BlockReason, FailReason } from '../task.ts'
import { resolvesOnRetry } from './resume.ts'

export function recoveryFrom(reason: BlockReason | FailReason, loop: Loop): string[] {
  const { id } = loop
  const show = `umpire show ${id}`
  const reviews = `umpire reviews ${id}`
  const retry = `umpire retry ${id}`
  const log = `umpire log ${id}`
  // Uncommitted work can't be approved.
  const approve = loop.check.refusal ? [] : [`umpire edit ${id} --verdict APPROVED`]
  const improve = `umpire improve ${id}`
  const { ask, waive } = aboutIssues(loop)
  if (loop.turn.phase === 'land') return recoveryOfLanding(reason, loop)
  switch (reason) {
    case 'max_cycles':
      return [
        ...[...ask, reviews, improve, `umpire edit ${id} --max-cycles ${loop.review.cycle + 1}`, retry],
        ...[...waive, ...approve],
      ]
    case 'changes_requested':
      if (loop.task.type === 'review')
        return [...ask, reviews, `umpire add "Address the review" -t improve --of ${id}`, ...approve]
      return [...ask, reviews, improve, retry, ...approve]
    case 'needs_discussion':
      if (loop.turn.gaveUp) return recoveryFromGivingUp(loop, approve)
      return [reviews, `${improve} --note "…"`, retry, ...approve]
    case 'rejected':
      return [reviews, `${improve} --note "…"`, retry, ...approve]
    case 'malformed_review':
    case 'reviewer_tampered':
      return [reviews, `umpire log ${id} --role reviewer`, retry, ...approve]
    case 'conflict':
      return [`${log} --role resolver`, retry]
    case 'dependency':
      return [`umpire show ${loop.task.of}`, retry]
    // Only the log shows what the developer said instead of changing something.
    case 'stalled':
      return [
        ...ask,
        `${log} --role developer`,
        // It made progress but ran out of turns, so it needs no instructions.
        ...(isOutOfTurns(loop) ? [retry, show] : [show]),
        ...(loop.work.head ? [`${improve} --note "…"`] : []),
        ...(isOutOfTurns(loop) ? [] : [retry]),
        ...waive,
        ...approve,
      ]
    case 'churning':
      return [...ask, show, `${improve} --note "…"`, ...waive, retry, ...approve]
    case 'gate':
      return [show, ...(loop.work.head ? [`${improve} --note "…"`] : []), retry, ...approve]
    case 'timeout':
      return loop.standing.status === 'in_progress' && loop.turn.overdue
        ? [`umpire diff ${id}`, retry]
        : [log, retry]
    case 'crash':
      return [...otherModel(loop), log, retry]
    default:
      return [log, retry]
  }
}

function isOutOfTurns({ policy, turn: { done: turns, granted } }: Loop): boolean {
  return policy?.until === 'claim' && turns - granted >= policy.maxIterations
}

/**
 * Blocking issues can be waived; the command names the first one. If all of them are waived, there is nothing to revise,
 * and only the reviewer, who is told about it, can approve.
 */
function aboutIssues({ id, review: { ledger }, work: { head } }: Loop): { ask: string[]; waive: string[] } {
  const [first] = openBlocking(ledger)
  if (first) return { ask: [], waive: [`umpire waive ${id} --issue ${first.number} --why "…"`] }
  const asks = head !== null && !head.empty && ledger.some(({ status }) => status === 'waived')
  return { ask: asks ? [`umpire review ${id}`] : [], waive: [] }
}

/** Only the configuration can name a parser's model, so there is no command for it. */
function otherModel({ id, turn: { phase, tries }, review: { unparsed } }: Loop): string[] {
  if (!tries.last?.detail.includes(noSuchModel) || unparsed) return []
  return [`umpire edit ${id} ${phase === 'develop' ? '--model' : '--review-model'} NAME`]
}

/** The developer said that it can't do the task: give it what it lacks, or reword the task. */
function recoveryFromGivingUp({ id, work: { head } }: Loop, approve: string[]): string[] {
  const log = `umpire log ${id} --role developer`
  const retry = `umpire retry ${id}`
  // Without changes there is nothing to improve or to approve.
  if (!head || head.empty) return [log, `umpire edit ${id} -d "…"`, retry]
  return [log, `umpire improve ${id} --note "…"`, retry, ...approve]
}

/** The work is done and waits for a review that only a person starts. */
export function recoveryWhileAwaiting({ id }: Loop): string[] {
  return [`umpire review ${id}`, `umpire diff ${id}`, `umpire edit ${id} --verdict APPROVED`]
}

/** The work is approved, but its base branch is in the way. */
function recoveryOfLanding(reason: BlockReason | FailReason, loop: Loop): string[] {
  const {
    id,
    landing: { outcome: landing },
    work: { place },
  } = loop
  const merge = `umpire merge ${id}`
  if (reason === 'conflict' && place) {
    const git = `git -C ${quoted(`.umpire/${place.worktree}`)}`
    const resolve = [`${git} merge ${quoted(landsOn(loop) ?? place.base)}`, `${git} commit -a`]
    const retry = resolvesOnRetry(applyChange(loop, { standing: { reason } })) ? [`umpire retry ${id}`] : []
    return [...resolve, `umpire review ${id}`, merge, ...retry]
  }
  if (reason === 'dependency' && landing !== 'begun' && landing?.kind === 'carries')
    return carriedRecovery(landing.works)
  if (reason === 'checkout_dirty' && landing !== 'begun' && landing?.kind === 'waits') {
    // Names the ref: an agent may have moved the branch, and the commit would still exist after Umpire withdrew it.
    const result = quoted(landing.ref ?? landing.branch)
    return [`git -C ${quoted(landing.checkout)} merge --ff-only ${result}`, merge]
  }
  if (reason === 'gate') return [`umpire show ${id}`, `umpire improve ${id}`, merge]
  // The branch may contain unreviewed work.
  return reason === 'vcs' ? [`umpire review ${id}`, merge] : [`umpire log ${id}`, merge]
}

/** Quotes the text as one word of a command line that a person can paste. */
function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
