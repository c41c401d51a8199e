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

  it('leaves a reviewer in no other mode than the careful one, whichever it began in', () => {
    const ids = ['yolo', 'default', 'plan']
    expect(choose('gemini-cli', 'read', ids)).toEqual({ mode: 'default' })
  })

  it('is the one that a person named for the developer, by its id or its name', () => {
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
    // Their plan mode is no reader's.
    ['claude-agent-acp', ['acceptEdits', 'plan'], 'acceptEdits'],
    ['unknown', ['auto_edit', 'agent-full-access'], 'auto_edit'],
  ])('of a reviewer is never one that writes without asking: %s with %j', (agent, ids, current) => {
    expect(choose(agent, 'read', ids, { current })).toEqual({
      fault: expect.stringMatching(new RegExp(`in mode ${current}, which writes without asking`)),
    })
  })

  it('of a reviewer is not for choosing', () => {
    expect(choose('x', 'read', ['read-only', 'yolo'], { wanted: 'yolo' })).toEqual({ mode: null })
  })
})
