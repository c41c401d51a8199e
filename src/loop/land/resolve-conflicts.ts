/**
 * Starts, commits or abandons the merge of another branch into the loop's own worktree, and starts the agent that resolves
 * its conflicts.
 */
import type { Loop } from '../../core/loop.ts'
import type { Resolving } from '../../core/phases/landing-state.ts'
import { mayOnlyResolve } from '../../core/standing.ts'
import type { Step } from '../../core/step.ts'
import { oneLine } from '../../lib/text/printable.ts'
import { type ResolverBrief, resolverPrompt } from '../../prompts/resolver.ts'
import { shortenTexts, wholePromptFile, withNotice } from '../../prompts/shorten.ts'
import { checkoutNeeds } from '../check/checkout-needs.ts'
import { commitRequest, refusedByHook } from '../develop/commit-work.ts'
import { placeOf, recordedHead } from '../place-of.ts'
import type { Performed, Ports } from '../ports.ts'
import { intentionsOf } from '../session/related-tasks.ts'
import { nextSession, startSession } from '../session/start-session.ts'
import { waitBefore } from '../session/wait-before.ts'

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
      ...commitRequest({ session, subject }, loop, ports),
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

/** Starts a resolver in the loop's worktree, in which the merge was started. */
export async function startResolver(
  step: Step & { do: 'resolve' },
  loop: Loop,
  ports: Ports,
  signal: AbortSignal,
): Promise<Performed> {
  const { notBefore, attempt } = step
  if (notBefore && (await waitBefore(notBefore, 'resolver', loop, ports, signal)) === 'changed')
    return { events: [] }
  const { resolving } = loop.landing
  if (!resolving) throw new Error(`loop ${loop.id} has nothing to resolve`)
  const place = placeOf(loop)
  const needs = checkoutNeeds(loop, ports)
  // If the worktree was lost meanwhile, the merge is started again. Otherwise the work in it stays.
  const merge = { recorded: recordedHead(loop), other: resolving.other.commit }
  await ports.vcs.beginMerge(place, merge, needs, signal)
  const { path } = await ports.vcs.openWorktree(place, needs, signal)
  const brief: ResolverBrief = {
    id: loop.id,
    task: loop.task,
    branch: resolving.other.branch,
    ours: merge.recorded,
    theirs: merge.other,
    files: stillInConflict(resolving),
    only: mayOnlyResolve(loop),
    intentions: await intentionsOf(resolving.other.branch, loop, ports),
    gates: loop.policy?.gates ?? [],
    told: step.told,
  }
  const whole = resolverPrompt(brief)
  const isShort = step.prompt === 'short'
  const wholeFile = `${ports.attempts.filesFolder(nextSession(loop))}/${wholePromptFile}`
  return startSession(
    {
      role: 'resolver',
      session: nextSession(loop),
      iteration: loop.turn.iteration,
      cycle: loop.review.cycle + 1,
      attempt,
      cwd: path,
      prompt: isShort ? withNotice(resolverPrompt(shortenTexts(brief)), wholeFile) : whole,
      ...(isShort && { files: { [wholePromptFile]: whole } }),
      limitMs: ports.settings.limitsFor(loop.task).improve,
      reviewed: null,
      announce: [],
    },
    loop,
    ports,
  )
}

/** Older records do not contain the kinds. */
function stillInConflict({ files, conflicts = [] }: Resolving): ResolverBrief['files'] {
  return files.map((path) => ({ path, kind: conflicts.find((file) => file.path === path)?.kind ?? null }))
}
