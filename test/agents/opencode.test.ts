import { describe, expect, it } from 'vitest'
import type { AgentRequest, SetupReader } from '../../src/agents/agent.ts'
import { opencode } from '../../src/agents/opencode.ts'
import { anyRequest, anyTools, eventsOf, lastFailure, recordedEvents } from './lines.ts'

const launch = (part: Partial<AgentRequest>) => opencode.launch({ ...anyRequest, ...part })
const config = (part: Partial<AgentRequest>) => JSON.parse(launch(part).env.OPENCODE_CONFIG_CONTENT ?? '')
const read = (name: string) => recordedEvents(opencode, name)

const run = ['opencode', 'run', '--format', 'json', '--print-logs', '--log-level', 'WARN']
const umpire = {
  type: 'local',
  command: ['/usr/bin/node', ...anyTools.args],
  enabled: true,
  timeout: 7_200_000,
}

describe('launching opencode', () => {
  it('lets a developer do everything that is not forbidden, with the session’s tools', () => {
    const asked = { tools: anyTools, model: 'anthropic/opus', resume: 'ses_1', args: ['--thinking'] }
    expect(launch(asked).argv).toEqual([
      ...run,
      ...['--auto', '--model', 'anthropic/opus', '--session', 'ses_1', '--thinking'],
    ])
    expect(config(asked)).toEqual({ snapshot: false, mcp: { umpire } })
    expect(launch(asked).env.OPENCODE_DISABLE_PROJECT_CONFIG).toBeUndefined()
    expect(launch(asked).files).toBeUndefined()
  })

  it('starts a reviewer in the run’s folder, which is its own repository, not in the tree', () => {
    const { argv, env, files = {} } = launch({ role: 'reviewer', tools: anyTools })
    expect(argv).toEqual([
      ...['sh', '-c', 'cd "$0" && exec "$@"', '/attempts/1-1/files'],
      ...run,
      ...['--agent', 'umpire-reviewer'],
    ])
    expect(env).toMatchObject({ OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_PROJECT_CONFIG: '1' })
    expect(Object.keys(files)).toEqual(expect.arrayContaining(['.git/HEAD', '.git/objects/empty']))
    expect(files['opencode-reviewer.md']).toContain('The tree under review is /work tree.')
  })

  it('defines an opencode agent for the reviewer that may read the tree and give its verdict', () => {
    const { agent, mcp, instructions, lsp, formatter } = config({ role: 'reviewer', tools: anyTools })
    expect(agent['umpire-reviewer']).toEqual({
      mode: 'primary',
      permission: {
        '*': 'deny',
        read: 'allow',
        glob: 'allow',
        grep: 'allow',
        list: 'allow',
        external_directory: { '*': 'deny', '/work tree': 'allow', '/work tree/*': 'allow' },
        'umpire_*': 'allow',
      },
    })
    // The last matching rule wins, so the general one must come first.
    expect(Object.keys(agent['umpire-reviewer'].permission)[0]).toBe('*')
    expect(mcp).toEqual({ umpire })
    expect(instructions).toEqual(['/attempts/1-1/files/opencode-reviewer.md'])
    expect([lsp, formatter]).toEqual([false, false])
  })

  it('denies the same tools to any other agent that opencode might use instead', () => {
    expect(config({ role: 'reviewer' }).permission).toMatchObject({
      ...{ '*': 'deny', edit: 'deny', bash: 'deny', task: 'deny', skill: 'deny', webfetch: 'deny' },
    })
    expect(config({ role: 'reviewer' })).not.toHaveProperty('mcp')
  })

  it('keeps the configuration in the role’s environment, but overrides it to confine a reviewer', () => {
    const own = {
      model: 'mine/m',
      permission: { '*': 'allow', bash: { 'git *': 'allow' } },
      mcp: { docs: { type: 'remote', url: 'https://docs.example' } },
    }
    const env = { OPENCODE_CONFIG_CONTENT: JSON.stringify(own) }
    expect(config({ env, tools: anyTools })).toEqual({
      ...own,
      snapshot: false,
      mcp: { ...own.mcp, umpire },
    })
    const { model, permission } = config({ role: 'reviewer', env })
    expect([model, permission['*'], permission.bash]).toEqual(['mine/m', 'deny', 'deny'])
  })

  it('refuses a configuration that it cannot combine with its own', () => {
    expect(() => launch({ role: 'reviewer', env: { OPENCODE_CONFIG_CONTENT: '// allow all' } })).toThrow(
      'OPENCODE_CONFIG_CONTENT in the environment of a role is not a JSON object.',
    )
  })

  it('does not resume a reviewer’s session, which would be silent in another folder', () => {
    expect(launch({ role: 'reviewer', resume: 'ses_1' })).toEqual(launch({ role: 'reviewer' }))
  })

  it('keeps its state in the home folder, or in the folders of the XDG variables', () => {
    expect(opencode.stateFolders?.({ HOME: '/home/me', XDG_CONFIG_HOME: '/c' })).toEqual([
      '/home/me/.local/share/opencode',
      '/c/opencode',
      '/home/me/.local/state/opencode',
      '/home/me/.cache/opencode',
    ])
    expect(opencode.stateFolders?.({})).toEqual([])
  })
})

describe('reading opencode', () => {
  it('reads texts and tool calls', () => {
    const events = read('develop')
    expect(eventsOf('tool', events).map(({ name }) => name)).toEqual(['write', 'bash'])
    expect(eventsOf('text', events).map(({ text }) => text)).toEqual(['All done.'])
    expect(eventsOf('finished', events)).toHaveLength(1)
    expect(eventsOf('tool', read('mcp'))).toMatchObject([{ name: 'review_report_review' }])
  })

  it('sums its steps, and only the new ones of a resumed session', () => {
    const step = { costUsd: 0.0011, tokens: { input: 1000, cached: 0, output: 50 }, counts: 'step' }
    expect(eventsOf('usage', read('develop'))).toMatchObject([step, step, step])
    expect(eventsOf('usage', read('session-resumed'))).toMatchObject([step])
    expect(eventsOf('session', read('session-resumed'))).toEqual(eventsOf('session', read('session')))
  })

  it('counts cache as input and thinking as output, and treats a price of 0 as unknown', () => {
    const tokens = { input: 1, output: 20, reasoning: 300, cache: { read: 4000, write: 50_000 } }
    const line = JSON.stringify({ type: 'step_finish', part: { reason: 'stop', tokens, cost: 0 } })
    expect(eventsOf('usage', opencode.read(line))).toMatchObject([
      { costUsd: null, tokens: { input: 54_001, cached: 4000, output: 320 } },
    ])
  })

  it('reports which tool calls of a reviewer were refused', () => {
    const events = read('reviewer')
    const refused = eventsOf('other', events).map(({ text }) => text)
    for (const name of ['write', 'bash', 'edit', 'task', 'skill', 'webfetch', 'plan_exit']) {
      expect(eventsOf('tool', events)).toContainEqual(expect.objectContaining({ name }))
      expect(refused).toContainEqual(
        expect.stringContaining(`a tool call failed: ${name}: Model tried to call unavailable tool`),
      )
    }
    expect(refused).toContainEqual(expect.stringContaining('read: The user has specified a rule'))
    expect(eventsOf('tool', events).at(-1)).toMatchObject({ name: 'umpire_set_loop_review_result' })
    expect(lastFailure(events)).toBeNull()
  })

  it('rejects a session id that could be read as an option', () => {
    expect(opencode.read(JSON.stringify({ type: 'step_start', sessionID: '--auto' }))).toEqual([])
  })

  const logged = (rest: string) => `timestamp=2026-11-16T04:25:29.554Z level=ERROR run=af0eb5cb ${rest}`

  it('reads from its log that it waits for the model', () => {
    const line = (small: boolean) =>
      logged(
        `message="stream error" providerID=p modelID=m session.id=ses_1 small=${small} agent=build mode=primary ` +
          'error.error="AI_APICallError: scripted 500"',
      )
    expect(opencode.readStderr?.(line(false))).toEqual([
      { type: 'waiting', text: 'The model does not answer (scripted 500).' },
    ])
    // The small model only generates a title for the session.
    expect(opencode.readStderr?.(line(true))).toEqual([])
  })

  it('reads from its log that the session’s tools do not work', () => {
    const line = (key: string) => logged(`message="server unavailable" key=${key} type=local status=failed`)
    expect(opencode.readStderr?.(line('umpire'))).toMatchObject([{ type: 'broken-tools' }])
    expect(opencode.readStderr?.(line('mine'))).toEqual([])
  })
})

describe('a failure of opencode', () => {
  it.each([
    ['error-401', 'auth', 'To log in: run `opencode auth login`.'],
    ['no-credit', 'auth', 'The account needs attention: You exceeded your current quota'],
    ['error-429', 'rate_limited', 'scripted 429'],
    ['error-500', 'overloaded', 'scripted 500'],
    ['refused', 'overloaded', 'Unable to connect'],
    ['broken-stream', 'overloaded', 'Connection reset by server'],
    [
      'no-model-api',
      'crash',
      'The model is not available: set another model for the role. The model `m1` does not exist',
    ],
    ['too-long', 'crash', 'too long for the model’s context'],
    ['cut-off', 'crash', 'cut off'],
  ])('%s is %s', (name, expected, words) => {
    const events = read(name)
    expect(lastFailure(events)).toMatchObject({ class: expected, text: expect.stringContaining(words) })
    expect(eventsOf('finished', events)).toEqual([])
  })

  it('names the retry time if the provider does', () => {
    const failure = lastFailure(read('error-429'))
    const seconds = (Date.parse(failure?.retryAt ?? '') - Date.now()) / 1000
    expect(seconds).toBeGreaterThan(0)
    expect(seconds).toBeLessThanOrEqual(7)
  })

  it('is not an error that opencode recovered from', () => {
    expect(lastFailure(read('recovered'))).toBeNull()
  })

  it('is exit code 0 after a permission request that no user could answer', () => {
    expect(eventsOf('finished', read('outside'))).toEqual([])
    expect(eventsOf('other', read('outside'))).toMatchObject([
      { text: expect.stringContaining('rejected permission') },
    ])
    expect(opencode.explain?.({ code: 0, stderr: '', answered: false })?.text).toContain(
      'without a final message',
    )
    expect(opencode.explain?.({ code: 0, stderr: '', answered: true })).toBeNull()
  })

  it('is explained by its log if the output only refers to the log', () => {
    expect(lastFailure(read('no-model'))).toBeNull()
    const stderr =
      'timestamp=2026-11-16T04:25:07.047Z level=ERROR run=0b18a6ec message=failed ref=err_8b2b9fe1 ' +
      'error="ProviderModelNotFoundError: Model not found: scripted/nope." cause="…"'
    expect(opencode.explain?.({ code: 1, stderr, answered: false })).toMatchObject({
      class: 'crash',
      retry: 'never',
      text: 'The model is not available: set another model for the role. Model not found: scripted/nope.',
    })
  })

  it('is explained by its coloured error output, or by its help text', () => {
    const explain = (code: number, stderr: string) => opencode.explain?.({ code, stderr, answered: false })
    expect(explain(1, '\u001b[91m\u001b[1mError: \u001b[0mSession not found')?.text).toBe('Session not found')
    expect(explain(1, '  -h, --help         show help')?.text).toContain('its arguments')
    expect(explain(127, '')?.text).toContain('not installed')
    expect(explain(143, '')).toBeNull()
  })
})

describe('the login of opencode', () => {
  const look = (files: Record<string, string>, env: SetupReader['env'] = { HOME: '/home/me' }) =>
    opencode.login?.({ env, read: (path) => files[path] ?? null })

  it('is found in its login file or in its variable', () => {
    const logins = '{\n  "anthropic": { "type": "oauth" }\n}'
    expect(look({ '/home/me/.local/share/opencode/auth.json': logins })?.state).toBe('in')
    expect(look({ '/d/opencode/auth.json': logins }, { XDG_DATA_HOME: '/d' })?.state).toBe('in')
    expect(look({}, { OPENCODE_AUTH_CONTENT: logins })?.state).toBe('in')
  })

  it('may be missing, because API keys and free models work without one', () => {
    expect(look({ '/home/me/.local/share/opencode/auth.json': '{}' })?.state).toBe('unknown')
    expect(look({})?.state).toBe('unknown')
  })
})
