/** Commits what a developer session left behind. A hook that refuses is a failed gate, with its words as feedback. */
import type { Step } from '../core/decide.ts'
import type { Loop } from '../core/loop.ts'
import type { Performed } from './perform.ts'
import { placeOf, recordedHead } from './place-of.ts'
import type { Ports } from './ports.ts'

export async function commitWork(
  { session, subject }: Step & { do: 'commit' },
  loop: Loop,
  ports: Ports,
  signal: AbortSignal,
): Promise<Performed> {
  const place = placeOf(loop)
  const { gate: limitMs } = ports.settings.limitsFor(loop.task)
  const outcome = await ports.vcs.commit(
    place,
    {
      message: subject,
      attempt: session.replace('-', '/'),
      session,
      iteration: loop.iteration,
      recorded: recordedHead(loop),
      hookLimitMs: limitMs,
    },
    signal,
  )
  switch (outcome.kind) {
    case 'committed':
      return { events: [{ type: 'loop.committed', data: outcome.commit }] }
    case 'refused': {
      const { output, exitCode, timedOut } = outcome
      const tree = loop.head?.tree ?? ''
      const result = {
        name: 'commit hook',
        command: 'git commit',
        kind: 'hook',
        passed: false,
        tree,
        durationMs: 0,
      } as const
      return {
        events: [
          { type: 'gate.completed', data: { ...result, exitCode, timedOut, output: ports.redact(output) } },
        ],
      }
    }
  }
}
