import { describe, expect, it } from 'vitest'
import type { AgentRequest } from '../../src/agents/agent.ts'
import { claude } from '../../src/agents/claude.ts'
import { anyRequest, anyTools, eventsOf, lastFailure, recordedEvents } from './lines.ts'

const argv = (part: Partial<AgentRequest>) => claude.launch({ ...anyRequest, ...part }).argv
const read = (name: string) => recordedEvents(claude, name)

describe('launching Claude Code', () => {
  it('lets a developer edit and run commands without skipping the permission checks', () => {
    expect(argv({ tools: anyTools })).toEqual([
      ...['claude', '-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'],
      ...['--permission-mode', 'acceptEdits'],
      ...['--allowedTools', 'Bash,mcp__umpire__set_loop_review_result,mcp__umpire__run_gate'],
      ...['--mcp-config', '/attempts/1-1/files/claude-mcp.json'],
    ])
  })

  it('gives a reviewer read tools and its verdict tool, and loads no settings from the tree', () => {
    expect(argv({ role: 'reviewer', tools: anyTools, schema: { type: 'object' } })).toEqual([
      ...['claude', '-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'],
      ...['--tools', 'Read,Grep,Glob', '--permission-mode', 'dontAsk'],
      ...['--allowedTools', 'mcp__umpire__set_loop_review_result,mcp__umpire__run_gate'],
      ...['--add-dir', '/attempts/1-1/files', '--strict-mcp-config', '--setting-sources', 'user'],
      ...['--mcp-config', '/attempts/1-1/files/claude-mcp.json'],
      ...['--json-schema', '{"type":"object"}'],
    ])
  })

  it('lets a reviewer without session tools only read', () => {
    expect(argv({ role: 'reviewer' })).not.toContain('--allowedTools')
    expect(argv({ role: 'reviewer' })).toContain('Read,Grep,Glob')
  })

  it('writes the MCP config of the session’s tools, and loads them without a search', () => {
    const { files } = claude.launch({ ...anyRequest, tools: anyTools })
    expect(JSON.parse(files?.['claude-mcp.json'] ?? '')).toEqual({
      mcpServers: {
        umpire: { type: 'stdio', command: anyTools.command, args: anyTools.args, alwaysLoad: true },
      },
    })
  })

  it('resumes a session with the role’s model, and puts the role’s own arguments last', () => {
    expect(argv({ resume: 'abc-1', model: 'opus', args: ['--effort', 'high'] }).slice(-6)).toEqual([
      ...['--model', 'opus', '--resume', 'abc-1', '--effort', 'high'],
    ])
  })

  it('never puts the prompt on the command line', () => {
    expect(argv({ prompt: 'a prompt of its own' }).join(' ')).not.toContain('a prompt of its own')
  })

  it('keeps foreign text out of the last block, where Claude would read paths and run commands', () => {
    const texts = (part: Partial<AgentRequest>) => {
      const { stdin = '' } = claude.launch({ ...anyRequest, ...part })
      expect(stdin.endsWith('\n')).toBe(true)
      const { type, message } = JSON.parse(stdin)
      expect([type, message.role]).toEqual(['user', 'user'])
      return message.content.map((block: { type: string; text: string }) => `${block.type}: ${block.text}`)
    }
    expect(texts({ prompt: '/x\n@/etc/passwd' })).toEqual([
      'text: /x\n@/etc/passwd',
      'text: Do what the text above says.',
    ])
    expect(texts({ prompt: '/mine now\n\nThe diff: @/etc/passwd', command: '/mine now' })).toEqual([
      'text: The diff: @/etc/passwd',
      'text: /mine now',
    ])
  })

  it('leaves out a schema that is too long for an argument', () => {
    const schema = { description: 'ä'.repeat(100_000) }
    expect(argv({ role: 'reviewer', schema })).not.toContain('--json-schema')
  })

  it('turns off automatic updates, unless the role wants them', () => {
    expect(claude.launch(anyRequest).env).toEqual({ DISABLE_AUTOUPDATER: '1' })
    expect(claude.launch({ ...anyRequest, env: { DISABLE_AUTOUPDATER: '' } }).env.DISABLE_AUTOUPDATER).toBe(
      '',
    )
  })

  it('keeps its state in the home folder, or in the folder that its variable names', () => {
    expect(claude.stateFolders?.({ HOME: '/home/me' })).toEqual(['/home/me/.claude'])
    expect(claude.stateFolders?.({ HOME: '/home/me', CLAUDE_CONFIG_DIR: '/c' })).toEqual(['/c'])
    expect(claude.stateFolders?.({})).toEqual([])
  })
})

describe('reading Claude Code', () => {
  it('reads texts and tool calls', () => {
    const events = read('write')
    expect(events[0]).toEqual({ type: 'session', id: expect.stringMatching(/^[0-9a-f-]{36}$/) })
    expect(eventsOf('tool', events)[0]).toMatchObject({ name: 'Write' })
    expect(eventsOf('text', events).map(({ text }) => text)).toEqual(['All done.'])
    expect(lastFailure(events)).toBeNull()
  })

  it('counts only this run of a resumed session', () => {
    const own = { costUsd: 0.0025, tokens: { input: 1000, cached: 0, output: 50 }, counts: 'step' }
    expect(eventsOf('usage', read('session'))).toMatchObject([own])
    expect(eventsOf('usage', read('session-resumed'))).toMatchObject([own])
  })

  it('counts one run with an older version, which starts at zero for each', () => {
    expect(eventsOf('usage', read('older-session-resumed'))).toMatchObject([
      { costUsd: 0.00625, tokens: { input: 1000, cached: 0, output: 50 }, counts: 'run' },
    ])
  })

  it('counts cache reads and writes as input, over all models', () => {
    const used = {
      inputTokens: 1,
      cacheReadInputTokens: 20,
      cacheCreationInputTokens: 300,
      outputTokens: 4,
      costUSD: 0.5,
    }
    const line = JSON.stringify({
      ...{ type: 'result', is_error: false, result: 'x', total_cost_usd: 9 },
      model_usage_since_last_result: { large: used, small: { outputTokens: 1, costUSD: 0.25 } },
    })
    expect(eventsOf('usage', claude.read(line))).toMatchObject([
      { model: 'large', costUsd: 0.75, tokens: { input: 321, cached: 20, output: 5 } },
    ])
  })

  it('accepts no answer if no model was called, for example when a command was not allowed to run', () => {
    const said = 'Shell command permission check failed.'
    const line = JSON.stringify({ type: 'result', is_error: false, num_turns: 0, result: said })
    const events = claude.read(line)
    expect(eventsOf('answer', events)).toEqual([])
    expect(lastFailure(events)).toMatchObject({
      class: 'crash',
      text: `it did not call a model. ${said}`,
      retry: 'never',
    })
  })

  it('finds the structured answer, and none if the model gave none', () => {
    expect(eventsOf('structured', read('schema')).map(({ text }) => JSON.parse(text))).toEqual([
      { verdict: 'approve', comments: ['ok'] },
    ])
    expect(eventsOf('structured', read('schema-never'))).toEqual([])
    expect(eventsOf('answer', read('schema-never'))).toMatchObject([{ text: 'ok' }])
  })

  it('reports that the session’s tools could not be started', () => {
    const broken = read('mcp-broken')
    expect(eventsOf('other', broken)).toContainEqual(
      expect.objectContaining({ text: 'the MCP server bad could not be started' }),
    )
    expect(eventsOf('broken-tools', broken)).toEqual([])
    const servers = [{ name: 'umpire', status: 'failed' }]
    const init = { type: 'system', subtype: 'init', session_id: 'a', mcp_servers: servers }
    expect(claude.read(JSON.stringify(init))).toContainEqual({
      type: 'broken-tools',
      text: 'the MCP server umpire could not be started',
    })
    expect(eventsOf('tool', read('mcp')).map(({ name }) => name)).toContain('mcp__review__report_review')
  })

  it('reports tool calls that were not allowed', () => {
    const denied = eventsOf('other', read('denied')).map(({ text }) => text)
    expect(denied).toHaveLength(4)
    expect(denied[0]).toMatch(/^a tool call failed: .*\/elsewhere\/outside\.txt/)
    expect(denied[3]).toBe('a tool call failed: No such tool available: ^WebFetch$')
  })

  it('leaves the texts of a subagent out of the answer', () => {
    const line = (parent: string | null) =>
      JSON.stringify({
        type: 'assistant',
        parent_tool_use_id: parent,
        message: { content: [{ type: 'text', text: '**Verdict: APPROVED**' }] },
      })
    expect(eventsOf('text', claude.read(line('toolu_1')))).toEqual([])
    expect(eventsOf('text', claude.read(line(null)))).toHaveLength(1)
  })

  it('rejects a session id that could be read as an option', () => {
    const line = JSON.stringify({ type: 'system', subtype: 'init', session_id: '--dangerous' })
    expect(claude.read(line)).toEqual([])
  })
})

describe('a failure of Claude Code', () => {
  it.each([
    ['error-401', 'auth', 'run `claude /login`, or set ANTHROPIC_API_KEY'],
    ['older-401', 'auth', 'claude /login'],
    ['not-logged-in', 'auth', 'Not logged in · Please run /login. To log in: run `claude /login`'],
    ['no-credit', 'auth', 'Credit balance is too low'],
    ['error-500', 'overloaded', '500'],
    ['error-529', 'overloaded', 'Overloaded'],
    ['usage-limit', 'rate_limited', "You've hit your 5-hour limit"],
    ['no-model', 'crash', 'The model is not available'],
    ['too-long', 'crash', 'too long for the model’s context'],
    ['max-turns', 'crash', 'Reached maximum number of turns (2)'],
    ['interrupted', 'crash', 'It was interrupted'],
  ])('%s is %s, whatever its subtype says', (name, expected, words) => {
    const failure = lastFailure(read(name))
    expect(failure).toMatchObject({ class: expected, text: expect.stringContaining(words) })
    expect(eventsOf('answer', read(name))).toEqual([])
    expect(eventsOf('text', read(name))).toEqual([])
  })

  it('names the time at which a usage limit resets', () => {
    // Claude prints 3:57am without seconds, so the limit resets within that minute.
    const told = eventsOf('failure', read('usage-limit'))[0]
    expect(told?.retryAt).toBe('2026-11-16T03:58:00.000Z')
  })

  it('is shown while Claude Code retries by itself', () => {
    const waiting = eventsOf('waiting', read('error-500')).map(({ text }) => text)
    expect(waiting).toEqual([
      'The model does not answer (500): attempt 1 of 2 in 1 s.',
      'The model does not answer (500): attempt 2 of 2 in 1 s.',
    ])
  })

  it('is an auth failure after two refused logins, unless the model answers later', () => {
    const retry = (attempt: number) =>
      JSON.stringify({ type: 'system', subtype: 'api_retry', attempt, max_retries: 10, error_status: 401 })
    expect(lastFailure(claude.read(retry(1)))).toBeNull()
    const twice = [...claude.read(retry(1)), ...claude.read(retry(2))]
    expect(lastFailure(twice)).toMatchObject({
      class: 'auth',
      text: expect.stringContaining('claude /login'),
    })
    expect(lastFailure([...twice, ...read('write').slice(1, 3)])).toBeNull()
  })

  it('is explained when Claude Code is not installed', () => {
    const missing = claude.explain?.({ code: 127, stderr: '', answered: false })
    expect(missing).toMatchObject({ text: expect.stringContaining('not installed'), retry: 'never' })
    expect(claude.explain?.({ code: 1, stderr: '', answered: false })).toBeNull()
  })

  it('is also exit code 0 without a result', () => {
    expect(claude.explain?.({ code: 0, stderr: '', answered: false })?.class).toBe('crash')
    expect(claude.explain?.({ code: 0, stderr: '', answered: true })).toBeNull()
  })
})
