import { describe, expect, it } from 'vitest'
import type { AgentRequest } from '../../src/agents/agent.ts'
import { codex } from '../../src/agents/codex.ts'
import { anyRequest, anyTools, eventsOf, lastFailure, recordedEvents } from './lines.ts'

const argv = (part: Partial<AgentRequest>) => codex.launch({ ...anyRequest, ...part }).argv
const read = (name: string) => recordedEvents(codex, name)

describe('launching Codex', () => {
  it('lets a developer write in its worktree, with the session’s tools approved beforehand', () => {
    const tools =
      'mcp_servers.umpire={ command = "/usr/bin/node", args = ["/opt/umpire/tools.js", "/attempts/1-1/files"],' +
      ' default_tools_approval_mode = "approve", required = false, startup_timeout_sec = 60, tool_timeout_sec = 7200 }'
    expect(argv({ tools: anyTools })).toEqual([
      ...['codex', 'exec', '--json', '--sandbox', 'workspace-write', '-c', tools, '-'],
    ])
  })

  it('lets a reviewer only read, and loads no instructions from the tree', () => {
    expect(argv({ role: 'reviewer' })).toEqual([
      ...['codex', 'exec', '--json', '--sandbox', 'read-only'],
      ...['-c', 'project_doc_max_bytes=0', '-c', 'skills.include_instructions=false'],
      ...['-c', 'projects={ "/work tree" = { trust_level = "untrusted" } }', '-'],
    ])
  })

  it('passes the schema as a file', () => {
    const launch = codex.launch({ ...anyRequest, role: 'reviewer', schema: { type: 'object' } })
    expect(launch.files).toEqual({ 'codex-schema.json': '{"type":"object"}' })
    expect(launch.argv.join(' ')).toContain('--output-schema /attempts/1-1/files/codex-schema.json')
  })

  it('puts resume after all options, because that subcommand accepts fewer', () => {
    expect(argv({ resume: 'abc-1', model: 'gpt-x', args: ['--search'] })).toEqual([
      ...['codex', 'exec', '--json', '--sandbox', 'workspace-write'],
      ...['--model', 'gpt-x', '--search', 'resume', 'abc-1', '-'],
    ])
  })

  it.each([
    ['-s'],
    ['--sandbox'],
    ['--sandbox=danger-full-access'],
    ['--dangerously-bypass-approvals-and-sandbox'],
  ])('leaves a developer’s sandbox to the role’s own %s, because Codex accepts it only once', (flag) => {
    expect(argv({ args: [flag] }).join(' ')).not.toContain('workspace-write')
    expect(argv({ role: 'reviewer', args: [flag] }).join(' ')).toContain('--sandbox read-only')
  })

  it('never puts the prompt on the command line', () => {
    expect(argv({ prompt: 'a prompt of its own' }).join(' ')).not.toContain('a prompt of its own')
  })

  it('keeps its state in the home folder, or in the folder that its variable names', () => {
    expect(codex.stateFolders?.({ HOME: '/home/me' })).toEqual(['/home/me/.codex'])
    expect(codex.stateFolders?.({ HOME: '/home/me', CODEX_HOME: '/c' })).toEqual(['/c'])
    expect(codex.stateFolders?.({})).toEqual([])
  })
})

describe('reading Codex', () => {
  it('reads texts and tool calls', () => {
    const events = read('write')
    expect(events[0]).toEqual({ type: 'session', id: '01a1e0b9-e3d8-7122-b043-b1b82e363629' })
    expect(eventsOf('tool', events).map(({ name }) => name)).toEqual([
      'file_change',
      'shell',
      'shell',
      'shell',
    ])
    expect(eventsOf('tool', read('mcp'))).toMatchObject([{ name: 'review.report_review' }])
    expect(lastFailure(events)).toBeNull()
  })

  it.each([
    [
      { type: 'command_execution', aggregated_output: 'try\nno such file\n', exit_code: 2, status: 'failed' },
      'shell, exit code 2: no such file',
    ],
    [
      { type: 'command_execution', aggregated_output: '', exit_code: null, status: 'declined' },
      'shell, declined',
    ],
    [
      {
        type: 'mcp_tool_call',
        server: 'umpire',
        tool: 'run_gate',
        error: { message: 'gone' },
        status: 'failed',
      },
      'umpire.run_gate: gone',
    ],
    [{ type: 'file_change', changes: [{ kind: 'add', path: 'a' }], status: 'failed' }, 'file_change: add a'],
  ])('reports that a tool call failed: %j', (item, words) => {
    const line = (type: string) => codex.read(JSON.stringify({ type, item: { id: 'item_0', ...item } }))
    expect(line('item.completed')).toEqual([{ type: 'other', text: `a tool call failed: ${words}` }])
    expect(eventsOf('other', read('write'))).toEqual([])
  })

  it('counts all runs of a resumed session, as Codex does', () => {
    expect(eventsOf('usage', read('session'))).toMatchObject([
      { tokens: { input: 1000, cached: 0, output: 50 }, counts: 'session', costUsd: null },
    ])
    expect(eventsOf('usage', read('session-resumed'))).toMatchObject([
      { tokens: { input: 2000, cached: 0, output: 100 }, counts: 'session' },
    ])
  })

  it('accepts the last message as the structured answer only if it is an object', () => {
    expect(eventsOf('structured', read('schema'))).toMatchObject([
      { text: '{"verdict":"approve","comments":["ok"]}' },
    ])
    expect(eventsOf('structured', read('schema-violated'))).toMatchObject([{ text: '' }])
    const both = [...read('schema'), ...read('schema-violated')]
    expect(eventsOf('structured', both).at(-1)?.text).toBe('')
  })

  it('rejects a session id that could be read as an option', () => {
    expect(codex.read(JSON.stringify({ type: 'thread.started', thread_id: '--dangerous' }))).toEqual([])
  })
})

describe('a failure of Codex', () => {
  it.each([
    ['error-401', 'auth', 'To log in: run `codex login`, or set CODEX_API_KEY.'],
    ['no-key', 'auth', 'codex login'],
    ['error-429', 'rate_limited', '429 Too Many Requests'],
    ['usage-limit', 'rate_limited', 'hit your usage limit'],
    ['error-500', 'overloaded', 'high demand'],
    ['refused', 'overloaded', 'Connection failed'],
    ['no-model', 'crash', 'The model is not available'],
  ])('%s is %s', (name, expected, words) => {
    expect(lastFailure(read(name))).toMatchObject({ class: expected, text: expect.stringContaining(words) })
  })

  it('is not final while Codex retries by itself', () => {
    expect(eventsOf('waiting', read('error-500'))).toHaveLength(5)
    const retry = JSON.stringify({ type: 'error', message: 'Reconnecting... 1/5 (unexpected status 401)' })
    expect(lastFailure(codex.read(retry))).toBeNull()
  })

  it('is explained by Codex’s own error message, not by its hint to use --help', () => {
    const stderr = "error: the argument '--sandbox' cannot be used multiple times\n\nFor more, try '--help'."
    expect(codex.explain?.({ code: 2, stderr, answered: false })?.text).toContain(
      'cannot be used multiple times',
    )
    const long = 'Error: turn/start failed: Input exceeds the maximum length of 1048576 characters.'
    expect(codex.explain?.({ code: 1, stderr: long, answered: false })?.text).toContain(
      'too long for the model’s context',
    )
    expect(codex.explain?.({ code: 127, stderr: '', answered: false })?.text).toContain('not installed')
    expect(codex.explain?.({ code: 1, stderr: 'a word', answered: false })).toBeNull()
    // Errors on the way count only if there is no answer.
    expect(codex.explain?.({ code: 0, stderr, answered: true })).toBeNull()
    expect(codex.explain?.({ code: 0, stderr: '', answered: false })?.class).toBe('crash')
  })
})
