/**
 * ADAPTER: any agent that speaks the Agent Client Protocol. Umpire has its own client program for the protocol
 * (`acp/client.ts`). It runs as the agent's process and prints lines in one format (`acp/client-protocol.ts`), whichever agent it
 * talks to. docs/agents/acp.md explains what the client asks for, what it answers, and why.
 */
import { basename, join } from 'node:path'
import { type AcpLaunch, launchFile } from '../acp/client-protocol.ts'
import { packageFile } from '../lib/file/package-files.ts'
import { oneLine } from '../lib/text/printable.ts'
import type { Agent, AgentEvent, AgentRequest, Failure } from './agent.ts'
import { builtInAgents } from './built-in.ts'
import { emptyRepository } from './in-folder.ts'
import { idIn, type JsonRecord, numberIn, other, parseJsonLine, recordIn, textIn } from './json-line.ts'
import { modelFailure } from './model-failure.ts'

export interface AcpDefinition {
  command: [string, ...string[]]
  /** The agent's mode for a developer. Null lets Umpire choose one. */
  mode: string | null
}

/** The error code of an agent that needs a login first. */
const authRequired = -32000

export function acpAgent(name: string, definition: AcpDefinition): Agent {
  const known = knownBehind(definition.command)
  return {
    name,
    abilities: ['tools', 'resume'],
    launch(request) {
      const { role, folder, env } = request
      const isReader = role !== 'developer'
      const startsIn = isReader && known?.name === 'opencode' ? 'outside' : 'in the tree'
      return {
        argv: [process.execPath, packageFile('acp-client.js'), join(folder, launchFile)],
        env: { ...everyonesEnv, ...(isReader ? readerEnv(request) : {}), ...env },
        files: {
          [launchFile]: JSON.stringify(launchOf(request, definition, startsIn)),
          ...(startsIn === 'outside' ? emptyRepository : {}),
        },
      }
    },
    read: readAcpLine,
    steering: (env) => known?.steering?.(env) ?? { paths: [], except: [] },
    leavesSteering: known?.leavesSteering ?? false,
    stateFolders: (env) => known?.stateFolders?.(env) ?? [],
    ownSandbox: known?.ownSandbox ?? false,
  }
}

/**
 * opencode runs the plugins in its working directory, and no switch turns that off. So a reviewer starts in the run's
 * folder and reads the tree from there.
 */
function launchOf(
  { role, model, cwd, args, folder, resume, tools }: AgentRequest,
  { command, mode }: AcpDefinition,
  startsIn: 'in the tree' | 'outside',
): AcpLaunch {
  return {
    command: [...command, ...args],
    access: role === 'developer' ? 'write' : 'read',
    cwd: startsIn === 'outside' ? folder : cwd,
    readable: [cwd, folder],
    preface: startsIn === 'outside' ? whereItIs(cwd) : '',
    mode,
    model,
    resume,
    server: tools,
  }
}

function whereItIs(tree: string): string {
  return `You work on the tree ${tree}. Use absolute paths for its files. Your working directory is a different, empty folder.\n\n`
}

/** Without this, Claude hides the session's tools behind a search that the model would have to think of. */
const everyonesEnv = { ENABLE_TOOL_SEARCH: 'false' }

/**
 * These agents do not ask for permission, so their own settings have to restrict a reviewer. Both are set by variables
 * that no other agent knows. Configuration, plugins and instructions in the tree come from the developer, so they are
 * not loaded.
 */
function readerEnv({ cwd, tools }: AgentRequest): Record<string, string> {
  const reading = {
    ...{ read: 'allow', glob: 'allow', grep: 'allow', list: 'allow' },
    external_directory: { '*': 'deny', [cwd]: 'allow', [join(cwd, '*')]: 'allow' },
  }
  const own = tools ? { [`${tools.name}_*`]: 'allow' } : {}
  return {
    OPENCODE_PERMISSION: JSON.stringify({ '*': 'deny', ...reading, ...own }),
    OPENCODE_DISABLE_PROJECT_CONFIG: '1',
    OPENCODE_PURE: '1',
    CODEX_CONFIG: JSON.stringify({
      project_doc_max_bytes: 0,
      skills: { include_instructions: false },
      projects: { [cwd]: { trust_level: 'untrusted' } },
    }),
  }
}

/** The built-in agent that shares its login and its sessions with the program behind the protocol. */
export function knownBehind(command: string[]): Agent | undefined {
  const words = command.flatMap((word) => basename(word).split(/[^a-z]/))
  return builtInAgents.find((agent) => words.includes(agent.name))
}

export function readAcpLine(line: string): AgentEvent[] {
  const message = parseJsonLine(line)
  if (message === null) return [other(line)]
  const text = textIn(message.text)
  switch (message.type) {
    case 'session': {
      const id = idIn(message.id)
      return id === null ? [] : [{ type: 'session', id }]
    }
    case 'delta':
      return [{ type: 'delta', text }]
    case 'paragraph':
      return [{ type: 'text', text: '' }]
    case 'tool':
      return [{ type: 'tool', name: oneLine(textIn(message.name), 200), text: oneLine(text, 200) }]
    case 'usage':
      return [readUsage(message)]
    case 'refused':
      return [other(`refused: ${text}`)]
    case 'end':
      return [{ type: 'answer', text: textIn(message.answer) }]
    case 'failure':
      return [readFailure(message)]
    default:
      return [other(text)]
  }
}

function readUsage(message: JsonRecord): AgentEvent {
  const { tokens } = message
  const count = (key: string) => numberIn(recordIn(tokens)[key]) ?? 0
  return {
    type: 'usage',
    costUsd: numberIn(message.costUsd),
    tokens: tokens ? { input: count('input'), cached: count('cached'), output: count('output') } : null,
    model: textIn(message.model) || null,
    counts: message.counts === 'session' ? 'session' : 'run',
  }
}

function readFailure(message: JsonRecord): AgentEvent {
  const text = textIn(message.text) || 'The agent failed without an error message.'
  const ways = oneLine(textIn(message.login), 500)
  const login = ways === '' ? 'see the agent’s own documentation.' : `${ways.replace(/\.$/, '')}.`
  const code = numberIn(message.code) ?? 0
  // Some agents give the status of their model's provider as the code of the error.
  const status = code === authRequired ? 401 : code >= 400 && code < 600 ? code : null
  const failure: Failure =
    // The last lines on a dead agent's standard error may come from a tool that it ran, so they are not interpreted.
    message.by === 'client'
      ? { class: 'crash', text: oneLine(text, 500), retryAt: null }
      : modelFailure({ text, status, login, now: new Date() })
  return { type: 'failure', ...failure, ...(message.retry === 'never' && { retry: 'never' }) }
}
