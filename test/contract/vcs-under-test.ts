/** The repository that the version control contract is tested on, and small helpers for its tests. */

import { VcsError } from '../../src/core/errors.ts'
import type { CommitRecord, Place } from '../../src/core/place.ts'
import type { Vcs } from '../../src/vcs/vcs.ts'
import type { CheckoutNeeds, CommitOutcome, CommitRequest } from '../../src/vcs/worktrees.ts'
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
  /** Removes the newest commit from the worktree's branch, with its files, as a developer would by hand. */
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

/** How the merge of one loop's work ended, and what else was merged with it. */
export type Integration =
  | { kind: 'contained'; base: string }
  | { kind: 'merged'; base: string; commit: string; tree: string; path: string }
  | { kind: 'conflict'; base: string; files: string[] }
  | { kind: 'refused'; base: string; output: string; exitCode: number | null; timedOut: boolean }

export interface MergeRequest {
  name: string
  head: string
  message: string
  /** Work to merge along with it, if it does not conflict. */
  also: { branch: string; commit: string; message: string }[]
  hookLimitMs: number
}

/** Merges one loop's work into the base. A checkout is left only if it was merged. */
export async function integrateOne(
  vcs: Vcs,
  place: Place,
  { name, head, message, also, hookLimitMs }: MergeRequest,
  needs: CheckoutNeeds,
): Promise<Integration> {
  const parts = [
    { key: 'wanted', commit: head, branch: place.branch, message },
    ...also.map((part, at) => ({ ...part, key: `also ${at}` })),
  ]
  const request = { name, into: { branch: place.base }, parts, hookLimitMs, inCheckout: true }
  const found = await vcs.integrateParts(request, needs, never)
  const { base, commit, tree, path } = found
  const [own] = found.parts
  if (own?.kind === 'merged' && path !== null) return { kind: 'merged', base, commit, tree, path }
  if (path !== null) await vcs.removeCheckout(name)
  switch (own?.kind) {
    case 'conflict':
      return { kind: 'conflict', base, files: own.files }
    case 'refused': {
      const { output, exitCode, timedOut } = own
      return { kind: 'refused', base, output, exitCode, timedOut }
    }
    case 'damaged':
      throw new VcsError(own.why, own.fix)
    case 'contained':
      return { kind: 'contained', base }
    default:
      throw new Error('not told')
  }
}

export type OpenVcs = (files: Files) => VcsUnderTest

/** The first files of the contract's repositories. */
export const firstFiles: Files = {
  'a.txt': 'one\ntwo\nthree\n',
  'src/b.txt': 'b\n',
  '.gitignore': 'ignored\n',
}
