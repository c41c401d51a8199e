import { describe, expect, it } from 'vitest'
import type { AcpLaunch } from '../../src/acp/client-protocol.ts'
import { acpAgent, knownBehind } from '../../src/agents/acp.ts'
import type { AgentRequest } from '../../src/agents/agent.ts'
import { anyRequest, anyTools, eventsOf, lastFailure, recordedLines } from './lines.ts'

const launchOf = (
  command: [string, ...string[]],
  part: Partial<AgentRequest>,
  mode: string | null = null,
) => {
  const { files = {}, ...rest } = acpAgent('mine', { command, mode }).launch({ ...anyRequest, ...part })
  const told: AcpLaunch = JSON.parse(files['acp-launch.json'] ?? '')
  return { ...rest, files, told }
}

describe('launching an ACP agent', () => {
  it('starts the ACP client and passes it everything else in a file', () => {
    const { argv, env, told } = launchOf(
      ['mine', '--acp'],
      { args: ['-x'], model: 'large', resume: 's-1', tools: anyTools },
      'careful',
    )
    expect(argv).toEqual([
      ...[process.execPath, expect.stringMatching(/dist\/acp-client\.js$/)],
      '/attempts/1-1/files/acp-launch.json',
    ])
    expect(told).toEqual({
      ...{ command: ['mine', '--acp', '-x'], access: 'write', cwd: '/work tree', preface: '' },
      ...{ readable: ['/work tree', '/attempts/1-1/files'], mode: 'careful', model: 'large', resume: 's-1' },
      server: anyTools,
    })
    expect(env).toEqual({ ENABLE_TOOL_SEARCH: 'false' })
  })

  it('confines a reviewer with the agent’s own settings, unless the role sets them itself', () => {
    const { env, told } = launchOf(['mine'], {
      role: 'reviewer',
      tools: anyTools,
      env: { OPENCODE_PURE: '' },
    })
    expect(told.access).toBe('read')
    expect(JSON.parse(env.OPENCODE_PERMISSION ?? '')).toMatchObject({
      ...{ '*': 'deny', read: 'allow', 'umpire_*': 'allow' },
      external_directory: { '*': 'deny', '/work tree': 'allow' },
    })
    expect(JSON.parse(env.CODEX_CONFIG ?? '')).toMatchObject({
      ...{ project_doc_max_bytes: 0, projects: { '/work tree': { trust_level: 'untrusted' } } },
    })
    expect(env.OPENCODE_PURE).toBe('')
  })

  it('starts a reviewing opencode outside the tree, because it would run the tree’s plugins', () => {
    const { told, files } = launchOf(['opencode', 'acp'], { role: 'reviewer' })
    expect(told).toMatchObject({ cwd: '/attempts/1-1/files', preface: expect.stringContaining('/work tree') })
    expect(files).toHaveProperty(['.git/HEAD'])
    expect(launchOf(['opencode', 'acp'], {}).told).toMatchObject({ cwd: '/work tree', preface: '' })
  })

  it.each([
    [['gemini', '--acp'], 'gemini'],
    [['/opt/bin/codex-acp'], 'codex'],
    [['npx', '-y', '@agentclientprotocol/claude-agent-acp@0.99.1'], 'claude'],
    [['npx', 'opencode-ai', 'acp'], 'opencode'],
    [['my-claudette'], undefined],
    [['node', 'tools/agent.mjs'], undefined],
  ])('recognises the agent behind %j: %s', (command, name) => {
    expect(knownBehind(command)?.name).toBe(name)
  })

  it('uses the login folders of the agent behind it', () => {
    const folders = acpAgent('mine', { command: ['codex-acp'], mode: null }).stateFolders?.({
      HOME: '/home/me',
    })
    expect(folders).toEqual(['/home/me/.codex'])
    expect(acpAgent('mine', { command: ['mine'], mode: null }).stateFolders?.({ HOME: '/home/me' })).toEqual(
      [],
    )
  })
})

describe('reading an ACP agent', () => {
  const { read } = acpAgent('mine', { command: ['mine'], mode: null })
  const events = (name: string) => recordedLines('acp', name).flatMap((line) => read(line))

  it.each([
    ['gemini-write', 'All done.', null],
    ['codex-write', 'All done.', null],
    ['claude-review', 'Review sent.', 0.025],
    ['opencode-review', 'Review sent.', 0.0055],
  ])('reads the answer and the usage of %s', (name, answer, cost) => {
    const heard = events(name)
    expect(eventsOf('answer', heard)).toEqual([{ type: 'answer', text: answer }])
    expect(eventsOf('tool', heard).length).toBeGreaterThan(1)
    const used = eventsOf('usage', heard).at(-1)
    expect(used?.costUsd ?? 0).toBeCloseTo(cost ?? 0)
    expect(used?.tokens?.output).toBeGreaterThan(0)
    expect(lastFailure(heard)).toBeNull()
  })

  it('says how to log in, in the agent’s own words', () => {
    expect(lastFailure(events('codex-no-login'))?.text).toBe(
      'Authentication required. To log in: API Key: Use an API key to authenticate; ChatGPT: Use ChatGPT to authenticate.',
    )
  })

  it('rejects a session id that could be read as an option', () => {
    expect(read('{"type":"session","id":"--dangerous"}')).toEqual([])
  })
})
