import { describe, expect, it } from 'vitest'
import { chooseMode, type ModeChoice } from '../../src/acp/choose-mode.ts'

const choose = (agent: string, access: ModeChoice['access'], ids: string[], more: Partial<ModeChoice> = {}) =>
  chooseMode({
    ...{ access, agent, wanted: null, current: ids[0] ?? '' },
    modes: ids.map((id) => ({ id, name: id.toUpperCase() })),
    ...more,
  })

const known: [string, string[], string, string | null][] = [
  ['gemini-cli', ['default', 'autoEdit', 'yolo', 'plan'], 'yolo', null],
  ['OpenCode', ['build', 'plan'], 'build', 'plan'],
  ['@agentclientprotocol/claude-agent-acp', ['default', 'acceptEdits', 'plan', 'auto'], 'acceptEdits', null],
  [
    '@agentclientprotocol/codex-acp',
    ['agent', 'read-only', 'workspace-write', 'agent-full-access'],
    ...(['workspace-write', 'read-only'] as const),
  ],
  ['unknown', ['code', 'ask', 'plan'], 'code', 'ask'],
  ['unknown', ['code', 'plan'], 'code', 'plan'],
  ['unknown', [], '', null],
]

describe('the mode of an agent', () => {
  it.each(known)('%s with %j', (agent, ids, developer, reviewer) => {
    expect(choose(agent, 'write', ids)).toEqual({ mode: developer === (ids[0] ?? '') ? null : developer })
    expect(choose(agent, 'read', ids)).toEqual({ mode: reviewer })
  })

  it('moves a reviewer to the careful mode, whichever mode it started in', () => {
    const ids = ['yolo', 'default', 'plan']
    expect(choose('gemini-cli', 'read', ids)).toEqual({ mode: 'default' })
  })

  it('is the configured mode for a developer, given by its id or its name', () => {
    const ids = ['default', 'yolo', 'careful']
    expect(choose('x', 'write', ids, { wanted: 'careful' })).toEqual({ mode: 'careful' })
    expect(choose('x', 'write', ids, { wanted: 'CAREFUL' })).toEqual({ mode: 'careful' })
    expect(choose('x', 'write', ids, { wanted: 'wild' })).toEqual({
      fault: expect.stringMatching(
        /^The agent has no mode wild\. It has: default, yolo, careful\. Change mode/,
      ),
    })
    expect(choose('x', 'write', [], { wanted: 'wild' })).toEqual({
      fault: expect.stringMatching(/^The agent has no mode wild\. It has: none\. Change mode/),
    })
  })

  it.each([
    ['unknown', ['yolo', 'turbo'], 'yolo'],
    ['unknown', [], 'bypassPermissions'],
    // The plan mode of this agent is not read-only.
    ['claude-agent-acp', ['acceptEdits', 'plan'], 'acceptEdits'],
    ['unknown', ['auto_edit', 'agent-full-access'], 'auto_edit'],
  ])('is never one that lets a reviewer write without asking: %s with %j', (agent, ids, current) => {
    expect(choose(agent, 'read', ids, { current })).toEqual({
      fault: expect.stringMatching(new RegExp(`in mode ${current}, which writes without asking`)),
    })
  })

  it('cannot be configured for a reviewer', () => {
    expect(choose('x', 'read', ['read-only', 'yolo'], { wanted: 'yolo' })).toEqual({ mode: null })
  })
})
