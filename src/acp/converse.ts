/**
 * One conversation with an ACP agent, from the first request to the end of its answer:
 *
 *   initialize ── session/new, or resume or load ── mode, model ── prompt ──► end_turn
 *                                                                    ▲   └─ cancelled, because it was refused something
 *                                                                    └──────┘
 *
 * The client offers neither files nor terminals. The agent works on its tree with its own tools, and the client only
 * answers its questions. Everything from the agent is read field by field, because agents differ in the protocol
 * version they speak, and in how well they speak it.
 */
import { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ClientContext, client, methods, ndJsonStream, RequestError } from '@agentclientprotocol/sdk'
import { type JsonRecord, recordIn, recordsIn, textIn } from '../agents/json-line.ts'
import { oneLine } from '../lib/text/printable.ts'
import type { AgentProcess } from './agent-process.ts'
import type { AcpLaunch, AcpLine, AcpUsage } from './client-protocol.ts'
import { ConversationFault, faultOf, loginWords } from './fault.ts'
import { openMeter, openNarrator } from './narrator.ts'
import { initialize, type OpenedSession, openSession } from './open-session.ts'
import { answerPermission } from './permission.ts'

export interface Conversation {
  agent: AgentProcess
  launch: AcpLaunch
  prompt: string
  print(line: AcpLine): void
}

/** How long an agent may take to end its turn when told to. */
const cancelMs = 800

/** A dead agent's last output may still be on its way. */
const drainMs = 500

/** How often Umpire prompts an agent again whose turn ended because something was refused. */
const mostReminders = 3

const reminder =
  'That was refused. In this session you can only read and use the tools that you were given. ' +
  'Continue without it, and give your answer.'

export async function converse(
  { agent, launch, prompt, print }: Conversation,
  signal: AbortSignal,
): Promise<'answered' | 'failed'> {
  const narrator = openNarrator()
  const meter = openMeter(() => age)
  const breach = new AbortController()
  const ended = AbortSignal.any([signal, breach.signal])
  let age: OpenedSession['age'] = 'fresh'
  let mode: string | null = null
  let login = ''
  let refusals = 0
  // Loading a session replays it from the beginning. The replay is not part of this run.
  let listens = false

  const connection = client({ name: 'umpire' })
    .onNotification(methods.client.session.update, recordIn, ({ params }) => {
      if (!listens) return
      const update = recordIn(params.update)
      for (const line of narrator.describe(update)) print(line)
      tell(meter.hear(update))
      const now = modeIn(update)
      if (launch.access === 'write' || now === null || now === mode) return
      breach.abort(
        new ConversationFault(`The agent switched from mode ${mode} to ${now}, so Umpire stopped it.`),
      )
    })
    .onRequest(methods.client.session.requestPermission, recordIn, ({ params }) => {
      if (ended.aborted) return { outcome: { outcome: 'cancelled' } }
      const toolCall = recordIn(params.toolCall)
      for (const line of narrator.describeAsked(toolCall)) print(line)
      const asked = { ...params, toolCall: narrator.factsOf(toolCall) }
      const { verdict, what, response } = answerPermission(asked, launch)
      if (verdict === 'refused') {
        refusals += 1
        print({ type: 'refused', text: oneLine(what, 500) })
      }
      return response
    })
    .connect(ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(agent.stdout)))

  function tell(usage: AcpUsage | null): void {
    if (usage) print({ type: 'usage', ...usage })
  }

  async function hold(peer: ClientContext): Promise<void> {
    const initialized = await initialize(peer)
    login = loginWords(initialized)
    const session = await openSession(peer, launch, initialized, (text) => print({ type: 'note', text }))
    mode = session.mode
    age = session.age
    print({ type: 'session', id: session.id })
    listens = true
    for (let reminders = 0, words = withPreface(launch.preface, prompt); ; reminders++, words = reminder) {
      const before = refusals
      const turn = recordIn(await ask(peer, session.id, words, ended))
      tell(meter.add(turn))
      if (ended.aborted) throw ended.reason
      const reason = textIn(turn.stopReason)
      const trouble = narrator.trouble()
      if (reason === 'end_turn' && trouble !== null) throw new ConversationFault(trouble, null, 'agent')
      if (reason === 'end_turn') return print({ type: 'end', answer: narrator.answer() })
      const wasRefused = reason === 'cancelled' && refusals > before
      if (!wasRefused || reminders === mostReminders) throw new ConversationFault(stopWords(reason))
    }
  }

  const lost = agent.gone.then(async ({ why, retry }) => {
    await sleep(drainMs)
    throw new ConversationFault(why, retry)
  })
  try {
    await Promise.race([hold(connection.agent), lost, tooLate(signal)])
    return 'answered'
  } catch (error) {
    const fault = faultOf(signal.aborted ? signal.reason : await realReason(error, agent))
    print({ type: 'failure', ...fault, text: oneLine(fault.text, 2000), login })
    return 'failed'
  } finally {
    connection.close()
  }
}

/** Agents recognise one of their own commands only at the very beginning of a prompt. */
function withPreface(preface: string, prompt: string): string {
  return prompt.startsWith('/') && preface !== '' ? `${prompt}\n\n${preface}` : preface + prompt
}

/** An agent that is told to stop gets a moment to end its turn by itself. */
async function ask(
  peer: ClientContext,
  sessionId: string,
  words: string,
  ended: AbortSignal,
): Promise<unknown> {
  const turn = peer.request(methods.agent.session.prompt, {
    sessionId,
    prompt: [{ type: 'text', text: words }],
  })
  const told = once(ended).then(async () => {
    await peer.notify(methods.agent.session.cancel, { sessionId })
    await Promise.race([turn.catch(() => {}), sleep(cancelMs)])
    throw ended.reason
  })
  return await Promise.race([turn, told])
}

/** Covers an agent that hangs before there is a turn to cancel. */
async function tooLate(signal: AbortSignal): Promise<never> {
  await once(signal)
  await sleep(cancelMs)
  throw signal.reason
}

function once(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) done()
    else signal.addEventListener('abort', () => done(), { once: true })
  })
}

/** If the conversation breaks off, the agent's exit is the real reason. */
async function realReason(error: unknown, { gone }: AgentProcess): Promise<unknown> {
  if (error instanceof ConversationFault || error instanceof RequestError) return error
  const left = await Promise.race([gone, sleep(drainMs, null)])
  return left === null ? error : new ConversationFault(left.why, left.retry)
}

function stopWords(reason: string): string {
  switch (reason) {
    case 'max_tokens':
      return 'The answer exceeded the model’s output limit.'
    case 'max_turn_requests':
      return 'The agent reached its limit of model requests.'
    case 'refusal':
      return 'The model refused to continue.'
    case 'cancelled':
      return 'The agent cancelled its turn.'
    default:
      return `The agent stopped: ${reason || 'it gave no reason'}.`
  }
}

/** The mode that the agent says it is in now; null when the update is about something else. */
function modeIn(update: JsonRecord): string | null {
  switch (update.sessionUpdate) {
    case 'current_mode_update':
      return textIn(update.currentModeId)
    case 'config_option_update': {
      const option = recordsIn(update.configOptions).find(
        ({ category, id }) => category === 'mode' || id === 'mode',
      )
      return option ? textIn(option.currentValue) : null
    }
    default:
      return null
  }
}
