/** What the contract of version control is tried on, and the small things its tests share. */
import type { CommitRecord } from '../../src/core/event.ts'
import type { CheckoutNeeds, CommitOutcome, CommitRequest, Vcs } from '../../src/vcs/vcs.ts'
import type { Files } from '../support/repository.ts'

/** A repository whose base branch is `main`, with one commit. */
export interface VcsUnderTest {
  vcs: Vcs
  /** The person's checkout. */
  root: string
  home: string
  /** Commits these files to the base branch, in the person's checkout. */
  commitToBase(files: Files): void
  /** Commits everything in a loop's worktree, as a developer would by hand. */
  commitIn(worktree: string, message: string): void
  /** Takes the newest commit off the worktree's branch, with its files, as a developer would by hand. */
  rewindIn(worktree: string): void
  remove(): void
}

export const never = new AbortController().signal
export const noNeeds: CheckoutNeeds = { copy: [], link: [], setup: async () => {} }

export function commitRequest(recorded: string, more: Partial<CommitRequest> = {}): CommitRequest {
  return {
    message: 'Add it',
    attempt: '1/1',
    session: '1-1',
    iteration: 1,
    recorded,
    hookLimitMs: 60_000,
    ...more,
  }
}

export function committed(outcome: CommitOutcome): CommitRecord {
  if (outcome.kind !== 'committed') throw new Error(`refused: ${outcome.output}`)
  return outcome.commit
}

export type OpenVcs = (files: Files) => VcsUnderTest

/** What the repositories of the contract begin with. */
export const firstFiles: Files = {
  'a.txt': 'one\ntwo\nthree\n',
  'src/b.txt': 'b\n',
  '.gitignore': 'ignored\n',
}
