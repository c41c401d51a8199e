import type { Loop } from '../../core/loop.ts'
import type { Resolving } from '../../core/phases/landing-state.ts'
import { mayOnlyResolve } from '../../core/standing.ts'
import type { Step } from '../../core/step.ts'
import { type ResolverBrief, resolverPrompt } from '../../prompts/resolver.ts'
import { shortenTexts, wholePromptFile, withNotice } from '../../prompts/short-form.ts'
import { checkoutNeeds } from '../check/checkout-needs.ts'
import type { Performed } from '../performed.ts'
import { placeOf, recordedHead } from '../place-of.ts'
import type { Ports } from '../ports.ts'
import { intentionsOf } from '../session/related-tasks.ts'
import { nextSession, startSession } from '../session/start-session.ts'
import { waitBefore } from '../session/wait-before.ts'

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
  const {
    landing: { resolving },
  } = loop
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
