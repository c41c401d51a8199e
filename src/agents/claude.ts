/**
 * ADAPTER: Claude Code, run without a terminal. docs/agents/claude.md explains every argument. All of them were tried
 * with the real program.
 */
import { join } from 'node:path'
import { toolServerName } from '../core/session/tool-request.ts'
import { oneLine } from '../lib/text/printable.ts'
import type {
  Agent,
  AgentEvent,
  AgentRequest,
  Login,
  SetupReader,
  Tokens,
  ToolServer,
  Usage,
} from './agent.ts'
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
import { crash, modelFailure } from './model-failure.ts'
import { claudeSteering } from './steering.ts'

const toolsFile = 'claude-mcp.json'

/** Operating systems reject a single argument over 128 KiB, and Claude Code takes a schema only as an argument. */
const longestSchema = 120_000

const login = 'run `claude /login`, or set ANTHROPIC_API_KEY.'

export const claude: Agent = {
  name: 'claude',
  title: 'Claude Code',
  abilities: ['tools', 'structured', 'resume'],
  launch(request) {
    const { role, model, args, env, folder, resume, tools } = request
    return {
      argv: [
        'claude',
        ...['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'],
        ...(role === 'developer' ? developer(tools) : reviewer(tools, folder)),
        ...(tools ? ['--mcp-config', join(folder, toolsFile)] : []),
        ...schemaFlags(request),
        ...(model === null ? [] : ['--model', model]),
        ...(resume === null ? [] : ['--resume', resume]),
        ...args,
      ],
      // An update during the run would replace the program under other running sessions.
      env: { DISABLE_AUTOUPDATER: '1', ...env },
      ...(tools ? { files: { [toolsFile]: toolServers(tools) } } : {}),
      stdin: message(request),
    }
  },
  read(line) {
    const message = parseJsonLine(line)
    if (message === null) return [other(line)]
    switch (message.type) {
      case 'system':
        return readSystem(message)
      case 'assistant':
        return readAssistant(message)
      case 'user':
        return recordsIn(recordIn(message.message).content).filter(isFailedResult).map(readFailedResult)
      case 'result':
        return readResult(message)
      default:
        return []
    }
  },
  explain({ code, answered }) {
    if (code === 127) return crash('Claude Code is not installed: there is no `claude` on the PATH.', 'never')
    // An interrupted process also exits with code 0.
    return code === 0 && !answered ? crash('it exited without a result.') : null
  },
  steering: claudeSteering,
  leavesSteering: true,
  stateFolders({ HOME, CLAUDE_CONFIG_DIR }) {
    if (CLAUDE_CONFIG_DIR) return [CLAUDE_CONFIG_DIR]
    // ~/.claude.json is not listed. Claude Code replaces that file by a rename, which needs a writable home folder. If
    // the home folder is read-only, the program leaves the file unchanged and still works.
    return HOME ? [join(HOME, '.claude')] : []
  },
  login: readLogin,
  confinement: { how: 'has only tools that read' },
}

/**
 * In the last text of a message, the program reads `@path` as a file to attach, wherever the file is, and a slash at
 * the start as a command. A diff can contain such a path. So text by other authors goes before the last text.
 */
function message({ prompt, command = null }: AgentRequest): string {
  const texts =
    command === null
      ? [prompt, 'Do what the text above says.']
      : [prompt.slice(command.length).trimStart(), command]
  const content = texts.map((text) => ({ type: 'text', text }))
  return `${JSON.stringify({ type: 'user', message: { role: 'user', content } })}\n`
}

/**
 * Allows edits and all commands. It does not use the flag that skips all permission checks: root may not use that flag,
 * and it would also skip what users have forbidden in their own settings.
 */
function developer(tools: ToolServer | null): string[] {
  return ['--permission-mode', 'acceptEdits', '--allowedTools', ['Bash', ...toolNames(tools)].join(',')]
}

/**
 * These are the only tools that exist, whatever else is allowed. Plan mode would not do: it lets commands through.
 * Settings, hooks and servers in the reviewed tree come from the developer, so they are not loaded. Outside the tree,
 * the reviewer can read only this run's own files.
 */
function reviewer(tools: ToolServer | null, folder: string): string[] {
  return [
    ...['--tools', 'Read,Grep,Glob', '--permission-mode', 'dontAsk'],
    ...(tools ? ['--allowedTools', toolNames(tools).join(',')] : []),
    ...['--add-dir', folder, '--strict-mcp-config', '--setting-sources', 'user'],
  ]
}

function toolNames(tools: ToolServer | null): string[] {
  return tools ? tools.tools.map((tool) => `mcp__${tools.name}__${tool}`) : []
}

/** Without `alwaysLoad` the tools are hidden behind a search that the model would have to think of. */
function toolServers({ name, command, args }: ToolServer): string {
  return JSON.stringify({ mcpServers: { [name]: { type: 'stdio', command, args, alwaysLoad: true } } })
}

function schemaFlags({ schema }: AgentRequest): string[] {
  const text = schema === null ? '' : JSON.stringify(schema)
  return text === '' || Buffer.byteLength(text) > longestSchema ? [] : ['--json-schema', text]
}

function brokenServer(name: string): AgentEvent {
  const text = oneLine(`the MCP server ${name} could not be started`, 200)
  return name === toolServerName ? { type: 'broken-tools', text } : other(text)
}

function readSystem(message: JsonRecord): AgentEvent[] {
  switch (message.subtype) {
    case 'init': {
      const id = idIn(message.session_id)
      const broken = recordsIn(message.mcp_servers).filter(({ status }) => status === 'failed')
      return [
        ...(id === null ? [] : [{ type: 'session' as const, id }]),
        ...broken.map(({ name }) => brokenServer(textIn(name))),
      ]
    }
    case 'api_retry':
      return readRetry(message)
    // The tool's result reports this again.
    case 'permission_denied':
      return []
    default:
      return [other(textIn(message.subtype))]
  }
}

/**
 * Claude Code retries for minutes, whatever the reason. A login that was refused twice will not be accepted the third
 * time, so this already counts as a failure. If the login is accepted after all, the model's next output cancels it.
 */
function readRetry(message: JsonRecord): AgentEvent[] {
  const { attempt, max_retries: attempts } = message
  const status = numberIn(message.error_status)
  const seconds = Math.round((numberIn(message.retry_delay_ms) ?? 0) / 1000)
  const why = status ?? textIn(message.error)
  const text = `The model does not answer (${why}): attempt ${attempt} of ${attempts} in ${seconds} s.`
  const isLogin = status === 401 && (numberIn(attempt) ?? 0) > 1
  return [
    { type: 'waiting', text: oneLine(text, 200) },
    ...(isLogin ? [failure({ api_error_status: status }, 'The login was refused (401).')] : []),
  ]
}

function readAssistant(message: JsonRecord): AgentEvent[] {
  const blocks = recordsIn(recordIn(message.message).content)
  if (message.is_api_error_message === true || typeof message.error === 'string') {
    return [failure(message, blocks.map(({ text }) => textIn(text)).join(' '))]
  }
  // What a subagent says is not part of the answer.
  const ofHelper = typeof message.parent_tool_use_id === 'string'
  const events = blocks.flatMap((block): AgentEvent[] => {
    const text = textIn(block.text)
    if (block.type === 'text') return ofHelper ? [other(text)] : [{ type: 'text', text }]
    if (block.type !== 'tool_use') return []
    return [{ type: 'tool', name: textIn(block.name), text: oneLine(JSON.stringify(block.input) ?? '', 200) }]
  })
  return events.length > 0 ? [...events, { type: 'recovered' }] : []
}

function isFailedResult({ type, is_error: isError }: JsonRecord): boolean {
  return type === 'tool_result' && isError === true
}

function readFailedResult({ content }: JsonRecord): AgentEvent {
  const words = [textIn(content), ...recordsIn(content).map(({ text }) => textIn(text))].join(' ').trim()
  return failedTool(words.replace(/<\/?tool_use_error>/g, '').replace(/^Error: /, ''))
}

/** In the order in which Claude Code itself looks. */
function readLogin({ env, read }: SetupReader): Login {
  const variable = [
    'CLAUDE_CODE_USE_BEDROCK',
    'CLAUDE_CODE_USE_VERTEX',
    'CLAUDE_CODE_USE_FOUNDRY',
    'ANTHROPIC_AUTH_TOKEN',
    'ANTHROPIC_API_KEY',
    'CLAUDE_CODE_OAUTH_TOKEN',
  ].find((name) => env[name])
  if (variable) return { state: 'in', how: variable }
  const { HOME = '', CLAUDE_CONFIG_DIR: folder } = env
  const settings = join(folder ?? join(HOME, '.claude'), 'settings.json')
  if (read(settings)?.includes('"apiKeyHelper"')) return { state: 'in', how: `apiKeyHelper in ${settings}` }
  const credentials = join(folder ?? join(HOME, '.claude'), '.credentials.json')
  if (read(credentials)) return { state: 'in', how: credentials }
  const state = join(folder ?? HOME, '.claude.json')
  // On macOS the login is in the keychain. This file only tells whose it is.
  if (read(state)?.includes('"oauthAccount"')) return { state: 'unknown', why: `${state} names an account` }
  return { state: 'out', fix: `To log in: ${login}` }
}

/** The last line of a run. Only `is_error` says whether it succeeded; `subtype` and the exit code do not. */
function readResult(message: JsonRecord): AgentEvent[] {
  const text = textIn(message.result)
  const usage: AgentEvent = { type: 'usage', ...readUsage(message) }
  if (message.is_error !== false) {
    const errors = Array.isArray(message.errors) ? message.errors.map(textIn) : []
    const ending = textIn(message.terminal_reason)
    const words = ending.startsWith('aborted') ? `It was interrupted (${ending}).` : text || errors.join(' ')
    return [failure(message, words || `It ended with ${textIn(message.subtype) || 'an error'}.`), usage]
  }
  // A command that is unknown or not allowed never reaches a model, and is not reported as an error.
  if (message.num_turns === 0)
    return [{ type: 'failure', ...crash(`it did not call a model. ${text}`.trim(), 'never') }, usage]
  const { structured_output: structured } = message
  return [
    { type: 'answer', text },
    ...(structured === undefined || structured === null
      ? []
      : [{ type: 'structured' as const, text: JSON.stringify(structured) }]),
    usage,
    { type: 'recovered' },
  ]
}

function failure(message: JsonRecord, text: string): AgentEvent {
  const written = new Date(textIn(message.timestamp))
  const now = Number.isNaN(written.getTime()) ? new Date() : written
  return {
    type: 'failure',
    ...modelFailure({ text, status: numberIn(message.api_error_status), login, now }),
  }
}

/**
 * `usage` counts only the main model. In newer versions `modelUsage` adds up over a resumed session, and they also
 * report what is new since the last result of the same run. Older versions start at zero with every run.
 */
function readUsage(message: JsonRecord): Usage {
  const { model_usage_since_last_result: since, modelUsage } = message
  const models = Object.entries(recordIn(since ?? modelUsage)).map(
    ([model, used]) => [model, recordIn(used)] as const,
  )
  const sum = (key: string) => models.reduce((all, [, used]) => all + (numberIn(used[key]) ?? 0), 0)
  const cached = sum('cacheReadInputTokens')
  const tokens: Tokens = {
    input: sum('inputTokens') + sum('cacheCreationInputTokens') + cached,
    cached,
    output: sum('outputTokens'),
  }
  return {
    costUsd: since === undefined ? numberIn(message.total_cost_usd) : sum('costUSD'),
    tokens,
    model: models[0]?.[0] ?? null,
    counts: since === undefined ? 'run' : 'step',
  }
}
