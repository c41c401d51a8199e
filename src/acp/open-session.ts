/** Prepares an agent for a prompt: initialised, in a session, in the right mode, with the right model. */
import { type ClientContext, methods, PROTOCOL_VERSION, RequestError } from '@agentclientprotocol/sdk'
import { type JsonRecord, recordIn, recordsIn, textIn } from '../agents/json-line.ts'
import { chooseMode, type Mode } from './choose-mode.ts'
import type { AcpLaunch } from './client-protocol.ts'
import { ConversationFault, faultOf } from './fault.ts'

export interface OpenedSession {
  id: string
  age: 'fresh' | 'resumed'
  /** The chosen mode, or the one it was already in. */
  mode: string | null
}

/**
 * Claude's own extension: it limits which tools exist at all, and keeps settings and servers in the tree from being
 * loaded. Other agents ignore it.
 */
const readerMeta = {
  claudeCode: {
    options: { tools: ['Read', 'Grep', 'Glob'], settingSources: ['user'], strictMcpConfig: true },
  },
}

/** What `session/new` offers, in either of the two forms that agents use. */
interface Offers {
  modes: Mode[]
  currentMode: string
  setMode(session: string, mode: string): Promise<unknown>
  models: string[]
  setModel: ((session: string, model: string) => Promise<unknown>) | null
}

export async function initialize(agent: ClientContext): Promise<JsonRecord> {
  const initialized = recordIn(
    await agent.request(methods.agent.initialize, {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: {
        fs: { readTextFile: false, writeTextFile: false },
        terminal: false,
        // Without this, warnings and errors arrive as if the model had said them.
        session: { notices: {} },
      },
      clientInfo: { name: 'umpire', version: '1' },
    }),
  )
  if (initialized.protocolVersion !== PROTOCOL_VERSION) {
    const theirs = String(initialized.protocolVersion)
    throw hopeless(`The agent speaks version ${theirs} of ACP; Umpire speaks ${PROTOCOL_VERSION}.`)
  }
  return initialized
}

export async function openSession(
  agent: ClientContext,
  launch: AcpLaunch,
  initialized: JsonRecord,
  note: (text: string) => void,
): Promise<OpenedSession> {
  const { id, age, told } = await findSession(agent, launch, initialized, note)
  const offers = readOffers(agent, told)
  return { id, age, mode: await chooseModeAndModel(launch, initialized, id, offers, note) }
}

async function findSession(
  agent: ClientContext,
  { cwd, server, resume, access }: AcpLaunch,
  initialized: JsonRecord,
  note: (text: string) => void,
): Promise<Pick<OpenedSession, 'id' | 'age'> & { told: JsonRecord }> {
  const servers = server ? [{ name: server.name, command: server.command, args: server.args, env: [] }] : []
  const place = { cwd, mcpServers: servers, ...(access === 'read' && { _meta: readerMeta }) }
  const { loadSession, sessionCapabilities } = recordIn(initialized.agentCapabilities)
  const canResume = typeof recordIn(sessionCapabilities).resume === 'object'
  if (resume !== null && (canResume || loadSession === true)) {
    const method = canResume ? methods.agent.session.resume : methods.agent.session.load
    try {
      const told = recordIn(await agent.request(method, { ...place, sessionId: resume }))
      return { id: resume, age: 'resumed', told }
    } catch (error) {
      const { text, code } = faultOf(error)
      if (code === authRequired) throw error
      note(`The session ${resume} could not be resumed (${text}). Started a new one.`)
    }
  } else if (resume !== null) {
    note('The agent cannot resume sessions. Started a new one.')
  }
  const told = recordIn(await agent.request(methods.agent.session.new, place))
  return { id: textIn(told.sessionId), age: 'fresh', told }
}

export const authRequired = -32000

/** The mode is set before the model: a wrong model is only an error, a wrong mode is a danger. */
async function chooseModeAndModel(
  { access, mode: wanted, model }: AcpLaunch,
  initialized: JsonRecord,
  id: string,
  offers: Offers,
  note: (text: string) => void,
): Promise<string | null> {
  const { modes, currentMode, models } = offers
  const agent = textIn(recordIn(initialized.agentInfo).name)
  const chosen = chooseMode({ access, wanted, agent, modes, current: currentMode })
  if ('fault' in chosen) throw hopeless(chosen.fault)
  if (chosen.mode !== null) {
    await offers.setMode(id, chosen.mode).catch((error: unknown) => {
      if (!(error instanceof RequestError)) throw error
      const text = `The agent did not accept the mode ${chosen.mode}: ${faultOf(error).text}`
      // If the configuration names no mode, a developer continues in its current one, and is allowed what it asks for.
      if (access === 'read' || wanted !== null) throw hopeless(text, 'agent')
      note(text)
    })
  }
  if (model !== null) {
    const { setModel } = offers
    if (!setModel)
      throw hopeless(
        'The agent does not let clients choose a model. Name the model in the agent’s command, not in the role.',
      )
    await setModel(id, model).catch((error: unknown) => {
      if (!(error instanceof RequestError)) throw error
      const known = models.length > 0 ? ` It offers: ${models.join(', ')}.` : ''
      throw hopeless(`The agent did not accept the model ${model}: ${faultOf(error).text}.${known}`, 'agent')
    })
  }
  return chosen.mode ?? (currentMode || null)
}

function hopeless(text: string, by: ConversationFault['by'] = 'client'): ConversationFault {
  return new ConversationFault(text, 'never', by)
}

function readOffers(agent: ClientContext, session: JsonRecord): Offers {
  const option = (category: string) =>
    recordsIn(session.configOptions).find((each) => each.category === category || each.id === category)
  const setOption = (configId: unknown) => (sessionId: string, value: string) =>
    agent.request(methods.agent.session.setConfigOption, { sessionId, configId: textIn(configId), value })
  const modeOption = option('mode')
  const modelOption = option('model')
  const modeState = recordIn(session.modes)
  const hasModes = session.modes !== undefined && session.modes !== null
  return {
    modes: hasModes
      ? recordsIn(modeState.availableModes).map(({ id, name }) => ({ id: textIn(id), name: textIn(name) }))
      : choices(modeOption).map(({ value, name }) => ({ id: textIn(value), name: textIn(name) })),
    currentMode: textIn(modeState.currentModeId) || textIn(modeOption?.currentValue),
    setMode: hasModes
      ? (sessionId, modeId) => agent.request(methods.agent.session.setMode, { sessionId, modeId })
      : setOption(modeOption?.id),
    ...(modelOption
      ? {
          models: choices(modelOption).map(({ value }) => textIn(value)),
          setModel: setOption(modelOption.id),
        }
      : readModels(agent, session)),
  }
}

/** An older way that some agents still use. It was never part of the stable protocol. */
function readModels(agent: ClientContext, { models }: JsonRecord): Pick<Offers, 'models' | 'setModel'> {
  if (models === undefined || models === null) return { models: [], setModel: null }
  return {
    models: recordsIn(recordIn(models).availableModels).map(({ modelId }) => textIn(modelId)),
    setModel: (sessionId, modelId) => agent.request('session/set_model', { sessionId, modelId }),
  }
}

/** The option's choices, grouped or not. */
function choices(option: JsonRecord | undefined): JsonRecord[] {
  return recordsIn(option?.options).flatMap((each) =>
    Array.isArray(each.options) ? recordsIn(each.options) : [each],
  )
}
