/** Commits the work of a developer session. A git hook that refuses counts as a failed gate, with its output as feedback. */
import type { NewEvent } from '../../core/event.ts'
import type { Loop } from '../../core/loop.ts'
import type { Step } from '../../core/step.ts'
import type { CommitOutcome, CommitRequest } from '../../vcs/worktrees.ts'
import { placeOf, recordedHead } from '../place-of.ts'
import type { Performed, Ports } from '../ports.ts'

export async function commitWork(
  { session, subject }: Step & { do: 'commit' },
  loop: Loop,
  ports: Ports,
  signal: AbortSignal,
): Promise<Performed> {
  const outcome = await ports.vcs.commit(
    placeOf(loop),
    commitRequest({ session, subject }, loop, ports),
    signal,
  )
  switch (outcome.kind) {
    case 'committed':
      return { events: [{ type: 'loop.committed', data: outcome.commit }] }
    case 'refused':
      return { events: [refusedByHook(outcome, loop, ports)] }
  }
}

/** The commit of a session's work, also if that is the resolution of a merge. */
export function commitRequest(
  { session, subject }: { session: string; subject: string },
  loop: Loop,
  { settings }: Ports,
): CommitRequest {
  return {
    message: subject,
    attempt: session.replace('-', '/'),
    session,
    iteration: loop.turn.iteration,
    recorded: recordedHead(loop),
    hookLimitMs: settings.limitsFor(loop.task).gate,
  }
}

/** A commit that a git hook refused is recorded as a failed gate. */
export function refusedByHook(
  { output, exitCode, timedOut }: Extract<CommitOutcome, { kind: 'refused' }>,
  loop: Loop,
  ports: Ports,
): NewEvent {
  const result = {
    name: 'commit hook',
    command: 'git commit',
    kind: 'hook',
    passed: false,
    tree: loop.work.head?.tree ?? '',
    durationMs: 0,
  } as const
  return {
    type: 'gate.completed',
    data: { ...result, exitCode, timedOut, output: ports.redact(output) },
  }
}
