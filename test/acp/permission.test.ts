import { describe, expect, it } from 'vitest'
import type { AcpLaunch } from '../../src/acp/client-protocol.ts'
import { answerPermission } from '../../src/acp/permission.ts'

const reader: AcpLaunch = {
  ...{ command: ['agent'], access: 'read', cwd: '/clone/tree', readable: ['/clone/tree', '/runs/1-2'] },
  ...{ preface: '', mode: null, model: null, resume: null },
  server: { name: 'umpire', command: 'node', args: [], tools: ['set_loop_review_result', 'run_gate'] },
}
const writer: AcpLaunch = { ...reader, access: 'write' }

const usual = ['allow_always', 'allow_once', 'reject_once', 'reject_always'].map((kind) => ({
  optionId: `the-${kind}`,
  kind,
}))

function ask(toolCall: object, more: { launch?: AcpLaunch; options?: object[]; _meta?: object } = {}) {
  const { launch = reader, options = usual, ...rest } = more
  return answerPermission({ toolCall, options, ...rest }, launch)
}

const selected = (kind: string) => ({ outcome: { outcome: 'selected', optionId: `the-${kind}` } })

describe('a developer', () => {
  it.each(['edit', 'execute', 'delete', 'fetch', 'other', undefined])('is allowed %s, once', (kind) => {
    expect(ask({ kind, title: 'x' }, { launch: writer })).toMatchObject({
      ...{ verdict: 'allowed', response: selected('allow_once') },
    })
  })

  it('is allowed permanently if the agent offers no other way to say yes', () => {
    const options = usual.filter(({ kind }) => kind !== 'allow_once')
    expect(ask({ kind: 'edit' }, { launch: writer, options }).response).toEqual(selected('allow_always'))
  })
})

describe('a reviewer', () => {
  it.each(['edit', 'execute', 'delete', 'move', 'fetch', 'think', 'switch_mode', 'other', 'a new kind'])(
    'is refused %s, once',
    (kind) => {
      expect(ask({ kind, title: 'Do it' })).toEqual({
        ...{ verdict: 'refused', what: `${kind}: Do it`, response: selected('reject_once') },
      })
    },
  )

  it('gets its request cancelled if the agent offers no way to say no', () => {
    const options = usual.filter(({ kind }) => kind.startsWith('allow'))
    expect(ask({ kind: 'edit' }, { options })).toMatchObject({
      ...{ verdict: 'refused', response: { outcome: { outcome: 'cancelled' } } },
    })
  })

  it.each([
    ['/clone/tree/src/a.ts', 'allowed'],
    ['src/a.ts', 'allowed'],
    ['/runs/1-2/diff.patch', 'allowed'],
    ['/clone/tree/..b/a.ts', 'allowed'],
    ['/clone/tree-of-another/a.ts', 'refused'],
    ['../other/a.ts', 'refused'],
    ['/clone/tree/../../etc/passwd', 'refused'],
    ['/home/me/.ssh/id_ed25519', 'refused'],
  ])('that asks to read %s is %s', (path, verdict) => {
    expect(ask({ kind: 'read', locations: [{ path }] }).verdict).toBe(verdict)
    expect(ask({ kind: 'search', locations: [{ path: 'README.md' }, { path }] }).verdict).toBe(verdict)
  })

  it('may not read unless it names the file', () => {
    expect(ask({ kind: 'read', title: 'Read README.md' }).verdict).toBe('refused')
    expect(ask({ kind: 'read', locations: [{}] }).verdict).toBe('refused')
  })

  it.each([
    ['gemini', { kind: 'other', title: 'set_loop_review_result (umpire MCP Server)' }],
    ['opencode', { kind: 'other', title: 'umpire_set_loop_review_result' }],
    ['claude', { kind: 'other', name: 'mcp__umpire__run_gate', title: 'Run the tests' }],
    ['others', { title: 'umpire/run_gate' }],
  ])('may use its session’s tools under the names that %s gives them', (_, call) => {
    expect(ask(call)).toMatchObject({ verdict: 'allowed', response: selected('allow_once') })
  })

  it('may use them with codex, which reports them as executions with an MCP mark in _meta', () => {
    const call = { kind: 'execute', title: 'mcp.umpire.run_gate' }
    expect(ask(call, { _meta: { is_mcp_tool_approval: true } }).verdict).toBe('allowed')
    expect(ask(call).verdict).toBe('refused')
    const shell = { kind: 'execute', title: 'touch x' }
    expect(ask(shell, { _meta: { is_mcp_tool_approval: true } }).verdict).toBe('refused')
  })

  it.each([
    'touch x # mcp__umpire__run_gate',
    'mcp__umpire__run_gate; touch x',
    'mcp__umpire__other_tool',
    'mcp__evil__run_gate',
    'run_gate (evil MCP Server)',
    '',
  ])('is refused a title that imitates a session tool: %j', (title) => {
    expect(ask({ kind: 'other', title }).verdict).toBe('refused')
    expect(ask({ kind: 'other', name: title, title: 'mcp__umpire__run_gate' }).verdict).toBe(
      title === '' ? 'allowed' : 'refused',
    )
  })

  it('has no tools if the session has none', () => {
    const launch = { ...reader, server: null }
    expect(ask({ kind: 'other', title: 'umpire_run_gate' }, { launch }).verdict).toBe('refused')
  })
})
