/**
 * ADAPTER: Codex, run without a terminal. docs/agents/codex.md explains every argument. All of them were tried with the
 * real program.
 */
import { join } from 'node:path'
import { oneLine } from '../lib/text/printable.ts'
import { type TomlValue, toml, tomlKey } from '../lib/text/toml.ts'
import type { Agent, AgentEvent, ToolServer } from './agent.ts'
import {
  failedTool,
  idIn,
  type JsonRecord,
  numberIn,
  other,
  parseJsonLine,
  recordIn,
  recordsIn,
  textIn,
} from './json-line.ts'
import { modelFailure } from './model-failure.ts'
import { codexSteering } from './steering.ts'

const schemaFile = 'codex-schema.json'

/** A gate can take a long time, and the default timeout for tools is one minute. */
const toolSeconds = 7200

const login = 'run `codex login`, or set CODEX_API_KEY.'

export const codex: Agent = {
  name: 'codex',
  title: 'Codex',
  abilities: ['tools', 'structured', 'resume'],
  launch({ role, model, cwd, args, env, folder, resume, tools, schema }) {
    return {
      argv: [
        ...(['codex', 'exec', '--json'] as const),
        ...(role === 'developer' ? developer(args) : reviewer(cwd)),
        ...(tools ? toolServer(tools) : []),
        ...(schema === null ? [] : ['--output-schema', join(folder, schemaFile)]),
        ...(model === null ? [] : ['--model', model]),
        ...args,
        ...(resume === null ? [] : ['resume', resume]),
        '-',
      ],
      env,
      ...(schema === null ? {} : { files: { [schemaFile]: JSON.stringify(schema) } }),
    }
  },
  read(line) {
    const message = parseJsonLine(line)
    if (message === null) return [other(line)]
    switch (message.type) {
      case 'thread.started': {
        const id = idIn(message.thread_id)
        return id === null ? [] : [{ type: 'session', id }]
      }
      case 'item.started':
      case 'item.updated':
      case 'item.completed':
        return readItem(recordIn(message.item), message.type)
      case 'turn.completed':
        return [readUsage(recordIn(message.usage)), { type: 'finished' }, { type: 'recovered' }]
      case 'turn.failed':
        return [failure(textIn(recordIn(message.error).message))]
      case 'error':
        return readError(textIn(message.message))
      default:
        return []
    }
  },
  explain({ code, stderr, answered }) {
    if (code === 127) {
      return {
        class: 'crash',
        text: 'Codex is not installed: there is no `codex` on the PATH.',
        retryAt: null,
        retry: 'never',
      }
    }
    if (code === 0)
      return answered ? null : { class: 'crash', text: 'it exited without a result.', retryAt: null }
    // When Codex rejects its arguments, its last line only points to the help.
    const said = /^error: .+/im.exec(stderr)?.[0]
    return said ? modelFailure({ text: said, status: null, login, now: new Date() }) : null
  },
  ownSandbox: true,
  steering: codexSteering,
  leavesSteering: true,
  stateFolders({ HOME, CODEX_HOME }) {
    if (CODEX_HOME) return [CODEX_HOME]
    return HOME ? [join(HOME, '.codex')] : []
  },
  login({ env, read }) {
    if (env.CODEX_API_KEY) return { state: 'in', how: 'CODEX_API_KEY' }
    const folder = env.CODEX_HOME ?? join(env.HOME ?? '', '.codex')
    const file = join(folder, 'auth.json')
    if (read(file)) return { state: 'in', how: file }
    const settings = join(folder, 'config.toml')
    const ownWay = /^\s*(?:model_provider|cli_auth_credentials_store)\b/m.exec(read(settings) ?? '')
    if (ownWay) return { state: 'unknown', why: `${settings} sets ${ownWay[0].trim()}` }
    return { state: 'out', fix: `To log in: ${login}` }
  },
  confinement: { how: 'runs in its own read-only sandbox', probe: ['codex', 'sandbox', '--', 'true'] },
}

/** Codex accepts its sandbox flags only once. If the user gives some, those apply. */
function developer(args: string[]): string[] {
  const ownSandbox = /^(?:-s|--sandbox(?:=.*)?|--dangerously-bypass-approvals-and-sandbox|--approve-for-me)$/
  return args.some((argument) => ownSandbox.test(argument)) ? [] : ['--sandbox', 'workspace-write']
}

/**
 * The operating system enforces this sandbox, not the program. Instructions, skills, settings, hooks and servers in the
 * reviewed tree come from the developer, so they are not loaded.
 */
function reviewer(cwd: string): string[] {
  return [
    ...['--sandbox', 'read-only'],
    ...setting('project_doc_max_bytes', 0),
    ...setting('skills.include_instructions', false),
    ...setting('projects', { [cwd]: { trust_level: 'untrusted' } }),
  ]
}

function toolServer({ name, command, args }: ToolServer): string[] {
  return setting(`mcp_servers.${tomlKey(name)}`, {
    command,
    args,
    // There is no user who could be asked.
    default_tools_approval_mode: 'approve',
    // A reviewer without the tools can still give its verdict as text.
    required: false,
    startup_timeout_sec: 60,
    tool_timeout_sec: toolSeconds,
  })
}

function setting(key: string, value: TomlValue): string[] {
  return ['-c', `${key}=${toml(value)}`]
}

function readItem(item: JsonRecord, moment: string): AgentEvent[] {
  const isDone = moment === 'item.completed'
  switch (item.type) {
    case 'agent_message': {
      const text = textIn(item.text)
      if (!isDone) return []
      // The line looks the same with and without a schema.
      return [
        { type: 'answer', text },
        { type: 'structured', text: parseJsonLine(text.trim()) ? text : '' },
      ]
    }
    case 'error':
      return [other(textIn(item.message))]
    case 'command_execution':
      if (isDone) return readFailedCommand(item)
      return moment === 'item.started' ? [tool('shell', textIn(item.command))] : []
    case 'file_change': {
      const changes = recordsIn(item.changes).map(({ kind, path }) => `${textIn(kind)} ${textIn(path)}`)
      if (isDone) return hasFailed(item) ? [failedTool('file_change', changes.join(', '))] : []
      return moment === 'item.started' ? [tool('file_change', changes.join(', '))] : []
    }
    case 'mcp_tool_call': {
      const name = `${textIn(item.server)}.${textIn(item.tool)}`
      if (isDone) return hasFailed(item) ? [failedTool(name, textIn(recordIn(item.error).message))] : []
      return moment === 'item.started' ? [tool(name, JSON.stringify(item.arguments) ?? '')] : []
    }
    case 'web_search':
      return isDone ? [tool('web_search', textIn(item.query))] : []
    default:
      return isDone ? [other(textIn(item.text))] : []
  }
}

/** `declined`: the command is not allowed, and there is no user who could allow it. */
function hasFailed({ status }: JsonRecord): boolean {
  return status === 'failed' || status === 'declined'
}

/** The last lines of a command's output usually say what is wrong. */
function readFailedCommand(item: JsonRecord): AgentEvent[] {
  const code = numberIn(item.exit_code)
  if (!hasFailed(item) && (code ?? 0) === 0) return []
  const ending = code === null ? textIn(item.status) : `exit code ${code}`
  return [failedTool(`shell, ${ending}`, textIn(item.aggregated_output).trim().split('\n').at(-1) ?? '')]
}

/** Printed for every retry, and once more before Codex gives up. If nothing can be reached, it retries forever. */
function readError(text: string): AgentEvent[] {
  return text.startsWith('Reconnecting') ? [{ type: 'waiting', text: oneLine(text, 200) }] : [failure(text)]
}

function failure(text: string): AgentEvent {
  return { type: 'failure', ...modelFailure({ text, status: null, login, now: new Date() }) }
}

/** The total over a resumed session. Codex does not report the cost. */
function readUsage(usage: JsonRecord): AgentEvent {
  const count = (key: string) => numberIn(usage[key]) ?? 0
  const tokens = {
    input: count('input_tokens'),
    cached: count('cached_input_tokens'),
    output: count('output_tokens'),
  }
  return { type: 'usage', costUsd: null, tokens, model: null, counts: 'session' }
}

function tool(name: string, text: string): AgentEvent {
  return { type: 'tool', name, text: oneLine(text, 200) }
}
