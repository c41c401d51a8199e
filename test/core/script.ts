/** How each step of a played loop ends. Lists are consumed in order. When a list is used up, steps succeed. */
import type { ProofOutcome } from '../../src/core/review/review-record.ts'
import type { DeveloperTurn, LandTurn, ParserTurn, ReviewerTurn } from './turns.ts'

export interface Script {
  developer?: Iterable<DeveloperTurn>
  /** For a panel: the seats one after the other. */
  reviewer?: Iterable<ReviewerTurn>
  checkpoints?: Iterable<ReviewerTurn>
  parser?: Iterable<ParserTurn>
  commits?: Iterable<'accepted' | 'refused'>
  gates?: Iterable<'pass' | 'fail'>
  /** The outcome of each witness that runs. */
  witnesses?: Iterable<ProofOutcome>
  landings?: Iterable<LandTurn>
  resolver?: Iterable<DeveloperTurn>
  /** How the merge leaves the worktree, and how committing it ends. */
  merges?: Iterable<MergeTurn>
  resolutions?: Iterable<ResolutionTurn>
}

export type MergeTurn = 'conflict' | 'clean' | 'contained'
export type ResolutionTurn = 'resolved' | 'unresolved' | 'refused'

export type Outcomes = ReturnType<typeof outcomesOf>

export function outcomesOf(script: Script) {
  return {
    developer: take(script.developer),
    reviewer: take(script.reviewer),
    checkpoint: take(script.checkpoints),
    parser: take(script.parser),
    commit: take(script.commits),
    gate: take(script.gates),
    witness: take(script.witnesses),
    landing: take(script.landings),
    resolver: take(script.resolver),
    merge: take(script.merges),
    resolution: take(script.resolutions),
  }
}

function take<T>(script: Iterable<T> = []): () => T | undefined {
  const iterator = script[Symbol.iterator]()
  return () => iterator.next().value
}
