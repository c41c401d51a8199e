/** The parser's session: a second agent reads the verdict out of a reviewer's plain words. */
import type { NewEvent } from '../../core/event.ts'
import type { Loop } from '../../core/loop.ts'
import { treeBefore } from '../../core/phases/review.ts'
import { completedReview, knownIn } from '../../core/review/ledger.ts'
import { nothingFound } from '../../core/review/verdict.ts'
import { knownSum } from '../../core/session/fold-session.ts'
import type { Step } from '../../core/step.ts'
import { parserPrompt } from '../../prompts/parser.ts'
import { checkBranch, placeOf } from '../place-of.ts'
import type { Performed, Ports } from '../ports.ts'
import { nextSession, startSession } from '../session/start-session.ts'
import { waitBefore } from '../session/wait-before.ts'
import { type EndedReview, failure, voidIfTampered } from './collect-review.ts'

/**
 * Starts a parser on the text of a reviewer. It sees only this text: its clone is empty. It must obey the same rules as a
 * reviewer, because its reading of the text can approve the work.
 */
export async function startParser(
  { answer, attempt, notBefore }: Step & { do: 'parse' },
  loop: Loop,
  ports: Ports,
  signal: AbortSignal,
): Promise<Performed> {
  if (notBefore && (await waitBefore(notBefore, 'parser', loop, ports, signal)) === 'changed')
    return { events: [] }
  const { settings } = ports
  await checkBranch(loop, ports)
  const clone = await ports.vcs.openClone(`${nextSession(loop)}.${loop.version}`, placeOf(loop), null)
  const prompt = parserPrompt({
    review: answer.rawOutput,
    open: loop.review.ledger.filter((issue) => issue.status === 'open'),
    unclear: settings.unclear,
    instructions: settings.instructionsFor(settings.cast('parser', loop.task).agent, 'parser'),
  })
  return startSession(
    {
      session: nextSession(loop),
      role: 'parser',
      iteration: loop.turn.iteration,
      cycle: answer.cycle,
      attempt,
      cwd: clone.path,
      prompt,
      limitMs: settings.limitsFor(loop.task).review,
      reviewed: clone.state,
      announce: [],
    },
    loop,
    ports,
  )
}

/**
 * Turns the result of a parser session into events. They belong to the reviewer's session and to the tree it was shown;
 * the parser is only recorded as the reader. A failed parser has no result, and another one is started.
 */
export async function collectParsed(parsed: EndedReview, loop: Loop, ports: Ports): Promise<NewEvent[]> {
  const { session, outcome, report, evidence } = parsed
  const { unparsed: answer } = loop.review
  if (!answer) throw new Error(`session ${session.session} has nothing to parse`)
  const { review, cycle, attempt, tree, command, rawOutput } = answer
  const ended: NewEvent = { type: 'session.ended', data: { ...parsed.ended, outcome, claimed: false } }
  const before = treeBefore(loop, cycle)
  const [voided, changes] = await Promise.all([
    voidIfTampered(session, answer, rawOutput, loop, ports),
    before === null ? null : ports.vcs.changedLines(before, tree),
  ])
  if (voided.length > 0) return [ended, ...voided.map((event) => readBy(event, session.session))]
  if (outcome.kind !== 'done') return [ended]

  const judged = report.truncated
    ? { kind: 'malformed' as const, why: 'its answer is too long to be read whole' }
    : ports.settings.judgeParsed(evidence, rawOutput, knownIn(loop.review.ledger))
  if (judged.kind === 'malformed') {
    const more = judged.why === nothingFound ? '' : `: ${judged.why}`
    const why = `${nothingFound}, and the parser found no clear verdict either${more}`
    return [ended, readBy(failure(answer, 'malformed', why, rawOutput), session.session)]
  }
  return [
    ended,
    ...completedReview(loop.review.ledger, {
      review,
      kind: 'task',
      cycle,
      attempt,
      session: answer.session,
      tree,
      channel: 'parser',
      command,
      body: judged.review,
      rawOutput,
      costUsd: knownSum(answer.costUsd, parsed.ended.costUsd),
      changes,
      parsedBy: session.session,
    }),
  ]
}

function readBy(event: NewEvent, parsedBy: string): NewEvent {
  return event.type === 'review.failed' ? { ...event, data: { ...event.data, parsedBy } } : event
}
