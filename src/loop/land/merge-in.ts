/** Starts, commits or abandons the merge of another branch into the loop's own worktree. */

import type { Loop } from '../../core/loop.ts'
import { mayOnlyResolve } from '../../core/standing.ts'
import type { Step } from '../../core/step.ts'
import { oneLine } from '../../lib/text/printable.ts'
import { checkoutNeeds } from '../check/checkout-needs.ts'
import { refusedByHook } from '../develop/commit-work.ts'
import type { Performed } from '../performed.ts'
import { placeOf, recordedHead } from '../place-of.ts'
import type { Ports } from '../ports.ts'

export async function beginMerge(
  { other }: Step & { do: 'merge' },
  loop: Loop,
  ports: Ports,
  signal: AbortSignal,
): Promise<Performed> {
  const merge = { recorded: recordedHead(loop), other: other.commit }
  const begun = await ports.vcs.beginMerge(placeOf(loop), merge, checkoutNeeds(loop, ports), signal)
  const files = begun.kind === 'conflict' ? begun.files : []
  const left = begun.kind === 'conflict' ? await ports.vcs.begunMerge(placeOf(loop)) : null
  const data = { other: other.commit, outcome: begun.kind, files, cycle: loop.review.cycle, ...left }
  return { events: [{ type: 'loop.merging', data }] }
}

export async function concludeMerge(
  { other, session, subject }: Step & { do: 'conclude' },
  loop: Loop,
  ports: Ports,
  signal: AbortSignal,
): Promise<Performed> {
  const outcome = await ports.vcs.finishMerge(
    placeOf(loop),
    {
      message: subject,
      attempt: session.replace('-', '/'),
      session,
      iteration: loop.turn.iteration,
      recorded: recordedHead(loop),
      hookLimitMs: ports.settings.limitsFor(loop.task).gate,
      other: other.commit,
      beyond: mayOnlyResolve(loop) ? 'refused' : 'allowed',
    },
    signal,
  )
  switch (outcome.kind) {
    case 'committed':
      return { events: [{ type: 'loop.committed', data: outcome.commit }] }
    case 'refused':
      return { events: [refusedByHook(outcome, loop, ports)] }
    case 'unresolved':
      // A resolver's leftovers are removed in the end. A person's stay.
      return unresolved(
        outcome.files,
        loop.asked
          ? `There are still conflict markers in ${named(outcome.files)}.`
          : `The resolver left conflict markers in ${named(outcome.files)}.`,
        loop,
      )
    case 'undecided':
      return unresolved(
        outcome.files,
        `The conflict in ${named(outcome.files)} is not resolved. Git can't put conflict markers there. ` +
          'Change it, or stage it with `git add` or `git rm`.',
        loop,
      )
    case 'beyond':
      // These files do not conflict. The conflicting ones may be resolved well.
      return unresolved(
        [],
        `There is no conflict in ${named(outcome.files)}, so git's merge of it must stay unchanged. ` +
          `Restore a file with \`git checkout ${outcome.left} -- FILE\`, and delete a file that is not in that commit.`,
        loop,
      )
  }
}

function unresolved(files: string[], why: string, { review: { cycle } }: Loop): Performed {
  return { events: [{ type: 'loop.unresolved', data: { files, why, cycle } }] }
}

function named(files: string[]): string {
  return oneLine(files.join(', '), longestList)
}

const longestList = 500

export async function abandonMerge(
  { events }: Step & { do: 'abandon' },
  loop: Loop,
  { vcs }: Ports,
): Promise<Performed> {
  await vcs.abandonMerge(placeOf(loop), recordedHead(loop))
  return { events }
}
