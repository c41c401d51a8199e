/**
 * Attends to a started session until it ends, no matter which worker started it. A worker that adopts a dead worker's
 * loop also gets here, and finds the agent running, finished or gone.
 */
import type { Failure } from '../../agents/agent.ts'
import type { Quiet, Watch } from '../../attempts/attempt.ts'
import { VcsError } from '../../core/errors.ts'
import type { NewEvent } from '../../core/event.ts'
import type { Loop } from '../../core/loop.ts'
import { developerWord } from '../../core/session/developer-word.ts'
import {
  isWriter,
  type RunningSession,
  type SessionEnd,
  type SessionOutcome,
} from '../../core/session/session.ts'
import { oneLine } from '../../lib/text/printable.ts'
import { sha256 } from '../../lib/text/sha256.ts'
import type { Evidence } from '../../verdicts/channel.ts'
import { placeOf, recordedHead } from '../place-of.ts'
import type { Performed, Ports } from '../ports.ts'
import { recordWhileHeld } from '../record.ts'
import { collectReview, type ReviewOf, reviewBy, voidIfTampered } from '../review/collect-review.ts'
import { collectParsed } from '../review/parser-session.ts'
import { noticeStrays } from './look-around.ts'
import { serveTools } from './serve-tools.ts'
import { failedBy, sessionOutcome } from './session-outcome.ts'
import { openTranscript, type Report } from './transcript.ts'
import { type OwnUsage, ownUsage } from './usage.ts'

export async function attendSession(
  session: RunningSession,
  loop: Loop,
  ports: Ports,
  signal: AbortSignal,
): Promise<Performed> {
  const { attempts, settings, vcs } = ports
  const { session: id, role, beside } = session
  const besides = beside && { beside }
  const afterwards = async () => {
    await attempts.remove(id)
    if (session.reviewed) await vcs.removeCheckout(session.reviewed.clone)
  }
  const lost = async (detail: string, ran: boolean): Promise<Performed> => {
    await attempts.kill(id)
    // A session that vanished may have changed forbidden files before it did.
    const events: NewEvent[] = [
      { type: 'session.lost', data: { session: id, ...besides, detail } },
      ...(ran && !isWriter(role)
        ? await voidIfTampered(session, reviewOf(session, loop), '', loop, ports)
        : []),
      ...(ran ? await noticeStrays(session, loop.task, ports) : []),
    ]
    return { events, afterwards: isTampered(events) ? putBack : afterwards }
  }
  // A keeper that was forked just before its worker died may still start. Then the session exists after all.
  if ((await attempts.attach(id)) === 'absent' && (await attempts.prevent(id)) === 'prevented')
    return lost('it was announced, but never started', false)

  // Read the lines as those of the agent that was started, which may not be the one that is configured now.
  const reader = settings.readerFor(session.agent)
  const transcript = await openTranscript(id, reader, ports)
  const idleMs = settings.limitsFor(loop.task).idle
  const quiet = role === 'developer' ? quietWhile(loop, ports, signal) : undefined
  let known = (await ports.archive.session(id))?.agentSession ?? null
  const tellWaiting = createWaitingTeller(session, loop, ports)
  const hopeless = new AbortController()
  const refused: { by: Failure | null } = { by: null }
  const onLines: Watch['onLines'] = async (source, lines) => {
    const isNew = await transcript.add(source, lines)
    const { agentSession, failure, waiting } = transcript.soFar()
    // The agent is not logged in. Some agents still retry for minutes, in vain. While old lines are read again, it is not
    // known yet whether the agent recovered.
    if (isNew && failure?.class === 'auth') {
      refused.by = failure
      hopeless.abort()
    }
    if (agentSession !== null && agentSession !== known) {
      known = agentSession
      await recordWhileHeld(loop, { type: 'session.identified', data: { session: id, agentSession } }, ports)
    }
    if (waiting !== null) await tellWaiting(waiting)
  }
  const ends = AbortSignal.any([signal, hopeless.signal])
  const tools = session.tools?.length ? serveTools(session, loop, ports, ends) : null
  const end = await attempts
    .follow(id, { idleMs, quiet, onLines, isAwaiting: tools?.isAwaiting }, ends)
    .finally(() => tools?.close())
  if (end.kind === 'lost') return lost('its keeper vanished without a result', true)

  const report = transcript.report()
  const handedIn = (await attempts.handedIn(id))
    .filter((handIn) => sha256(handIn.token) === session.tokenHash)
    .map((handIn) => ports.redact(handIn.body))
  const heard = { ...report, handedIn: handedIn.length }
  const limits = { role, limitMs: session.limitMs, idleMs }
  const outcome = withoutSecrets(
    refused.by && end.kind === 'aborted' && !signal.aborted
      ? failedBy(refused.by)
      : sessionOutcome(end, limits, heard, reader.explain),
    ports,
  )
  const ended: Omit<SessionEnd, 'outcome' | 'claimed'> = {
    session: id,
    ...besides,
    exitCode: end.kind === 'exited' ? end.code : null,
    agentSession: report.agentSession,
    messages: report.messages,
    ...(report.usage.model === null ? {} : { model: ports.redact(oneLine(report.usage.model, 100)) }),
    ...(await usageOf(session, report, loop, ports)),
    refused: (await attempts.refusals(id)).map(ports.redact),
  }
  const judged = { session, ended, outcome, evidence: evidenceOf(handedIn, report, ports), report }
  const collect = {
    developer: () => developerEvents(ended, outcome, handedIn, report, loop, ports),
    resolver: () => developerEvents(ended, outcome, handedIn, report, loop, ports),
    reviewer: () => collectReview(judged, loop, ports),
    parser: () => collectParsed(judged, loop, ports),
  }
  const events = [...(await collect[role]()), ...(await noticeStrays(session, loop.task, ports))]
  return { events, afterwards: isTampered(events) ? putBack : afterwards }

  /** Restores only after the end is recorded, because until then the difference is the evidence. `collectReview` has kept it. */
  async function putBack(): Promise<void> {
    await vcs.discard(placeOf(loop), recordedHead(loop)).catch((error: unknown) => {
      if (!(error instanceof VcsError)) throw error
    })
    await afterwards()
  }
}

/** The usage of this run. Some agents count over all runs of a resumed session; then only the new part counts. */
async function usageOf(
  { session, resumes, model }: RunningSession,
  { usage }: Report,
  loop: Loop,
  { archive, priceOf }: Ports,
): Promise<OwnUsage> {
  const sessions = resumes ? await archive.sessions(loop.id) : []
  const earlier = sessions.filter((other) => other.id !== session && other.agentSession === resumes)
  return ownUsage({ ...usage, model: usage.model ?? model }, priceOf, earlier)
}

function evidenceOf(handedIn: string[], { answer, structured }: Report, { redact }: Ports): Evidence {
  return { handedIn, answer: redact(answer), structured: structured === null ? null : redact(structured) }
}

/** Redacts again, because the text may have been joined from several lines, or decoded. */
function withoutSecrets(outcome: SessionOutcome, { redact }: Ports): SessionOutcome {
  return outcome.kind === 'failed' ? { ...outcome, detail: redact(outcome.detail) } : outcome
}

/** With the trigger `session_idle`, a developer that prints and changes nothing is done. Some agents never exit. */
function quietWhile(loop: Loop, { settings, vcs }: Ports, signal: AbortSignal): Quiet | undefined {
  if (loop.policy?.trigger !== 'session_idle') return undefined
  return {
    afterMs: settings.limitsFor(loop.task).idleAfter,
    // Files may appear and disappear while git reads them, or the developer broke the worktree. Then nothing is known.
    look: () =>
      vcs.snapshot(placeOf(loop), signal).catch((error: unknown) => {
        if (error instanceof VcsError || signal.aborted) return null
        throw error
      }),
  }
}

/** The review that the session is for: its own, or the one that a parser reads. */
function reviewOf(session: RunningSession, { review: { unparsed } }: Loop): ReviewOf {
  return session.role === 'parser' && unparsed ? unparsed : reviewBy(session)
}

/** A checkpoint has nothing to restore, because the worktree belongs to the developer. */
function isTampered(events: NewEvent[]): boolean {
  return events.some(
    (event) =>
      event.type === 'review.failed' && event.data.cause === 'tampered' && event.data.kind !== 'checkpoint',
  )
}

/** The developer may use git, but the branch must still descend from the recorded commit. Otherwise the turn failed. */
async function developerEvents(
  ended: Omit<SessionEnd, 'outcome' | 'claimed'>,
  outcome: SessionOutcome,
  handedIn: string[],
  report: Report,
  loop: Loop,
  ports: Ports,
): Promise<NewEvent[]> {
  const restored = await ports.vcs.restoreBranch(placeOf(loop), recordedHead(loop))
  const said = developerWord(handedIn)
  const claimed = said.kind === 'done' || /^TASK_COMPLETE\r?$/m.test(report.answer)
  const moved: SessionOutcome | null =
    restored.kind === 'restored' && outcome.kind === 'done'
      ? { kind: 'failed', class: 'crash', detail: restored.what, retryAt: null }
      : null
  const word = said.kind === 'gave up' ? { claimed: false, gaveUp: ports.redact(said.why) } : { claimed }
  return [{ type: 'session.ended', data: { ...ended, outcome: moved ?? outcome, ...word } }]
}

const firstPauseMs = 30_000
const longestPauseMs = 8 * 60_000

/**
 * Call it each time the agent says what it waits for. An agent that waits for its provider or the network repeats this,
 * sometimes for hours. People are told immediately, and then less and less often.
 */
function createWaitingTeller(session: RunningSession, loop: Loop, ports: Ports) {
  let quietUntil = Number.NEGATIVE_INFINITY
  let pause = firstPauseMs
  return async (said: string): Promise<void> => {
    const now = ports.clock.now().getTime()
    if (now < quietUntil) return
    quietUntil = now + pause
    pause = Math.min(2 * pause, longestPauseMs)
    const { session: id, agent } = session
    const text = ports.redact(said)
    await recordWhileHeld(loop, { type: 'session.waiting', data: { session: id, agent, text } }, ports)
  }
}
