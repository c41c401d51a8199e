import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { applyAnswers, type ChosenAgent, draftSetup, offered } from '../../src/setup/draft.ts'
import { renderConfig } from '../../src/setup/render-config.ts'
import type { Proposal } from '../../src/setup/toolchains/propose.ts'

const proposal: Proposal = {
  found: ['JavaScript (npm)'],
  gates: [
    { name: 'test', command: 'npm test' },
    { name: 'test-go', command: 'go test ./...' },
    { name: 'lint', command: 'npm run lint' },
  ],
  worktree: { setup: ['npm ci', 'make'], copy: ['.env'], link: [] },
  needs: [],
  unignored: [],
}
const nothing: Proposal = { ...proposal, gates: [], worktree: { setup: [], copy: [], link: [] } }
const mine: ChosenAgent = { kind: 'program', name: 'mine', command: ['node', 'tools/mine.mjs'] }

describe('choosing the agents for the roles', () => {
  test('takes the first installed agent, and lets a second one review', () => {
    expect(draftSetup(proposal, ['claude', 'gemini'], null)).toMatchObject({
      developer: 'claude',
      reviewer: 'gemini',
    })
    expect(draftSetup(proposal, ['codex'], null)).toMatchObject({ developer: 'codex', reviewer: 'codex' })
  })

  test('takes none if none is installed, and the file shows how to define a program', () => {
    const draft = draftSetup(nothing, [], null)
    expect(draft).toMatchObject({ developer: null, reviewer: null })
    const text = renderConfig(draft)
    expect(parse(text)).toBe(null)
    expect(text).toMatch(/^# {3}mine:\n# {5}command: \[/m)
  })

  test('takes the agent that the person names, whatever is installed', () => {
    expect(draftSetup(proposal, ['claude', 'codex'], mine)).toMatchObject({
      developer: 'mine',
      reviewer: 'mine',
      programs: [{ name: 'mine', command: ['node', 'tools/mine.mjs'] }],
    })
  })

  test('leaves the roles to the person’s own settings, unless they name another agent', () => {
    const elsewhere = { developer: 'own', reviewer: null }
    const draft = draftSetup(nothing, ['claude'], null, elsewhere)
    expect(draft).toMatchObject({ developer: null, reviewer: 'claude' })
    expect(parse(renderConfig(draft))).toEqual({ roles: { reviewer: 'claude' } })
    expect(draftSetup(nothing, [], mine, elsewhere).developer).toBe('mine')
    const both = draftSetup(nothing, [], null, { developer: 'own', reviewer: 'own' })
    expect(renderConfig(both)).toContain('your own settings already name the agents')
  })
})

describe('an answer', () => {
  const draft = draftSetup(proposal, [], mine)
  const agreed = { developer: mine, reviewer: mine, ...offered(draft) }

  test('changes nothing if it is the offered one', () => {
    expect(applyAnswers(draft, agreed)).toEqual(draft)
  })

  test('replaces, adds and removes gates and setup commands', () => {
    const changed = applyAnswers(draft, { ...agreed, test: ' make test ', lint: '', setup: 'make deps' })
    expect(changed.gates).toEqual([{ name: 'test', command: 'make test' }, proposal.gates[1]])
    expect(changed.worktree).toEqual({ setup: ['make deps'], copy: ['.env'], link: [] })
    expect(applyAnswers(draft, { ...agreed, setup: ' ' }).worktree.setup).toEqual([])
    const bare = draftSetup(nothing, [], mine)
    const added = applyAnswers(bare, { ...agreed, test: 'a', lint: 'b', setup: '' })
    expect(added.gates).toEqual([
      { name: 'test', command: 'a' },
      { name: 'lint', command: 'b' },
    ])
  })

  test('defines the programs that have a role, and only those', () => {
    const other: ChosenAgent = { kind: 'program', name: 'other', command: ['other'] }
    const claude: ChosenAgent = { kind: 'built-in', name: 'claude' }
    const changed = applyAnswers(draft, { ...agreed, developer: claude, reviewer: other })
    expect(changed).toMatchObject({ developer: 'claude', reviewer: 'other', programs: [{ name: 'other' }] })
    expect(applyAnswers(draft, { ...agreed, developer: null, reviewer: null }).programs).toEqual([])
  })
})

describe('the file', () => {
  test('contains the decisions, and parses back to them', () => {
    expect(parse(renderConfig(draftSetup(proposal, [], mine)))).toEqual({
      roles: { developer: 'mine', reviewer: 'mine' },
      agents: { mine: { command: ['node', 'tools/mine.mjs'] } },
      gates: { test: 'npm test', 'test-go': 'go test ./...', lint: 'npm run lint' },
      worktree: { setup: ['npm ci', 'make'], copy: ['.env'] },
    })
  })

  test('has a comment for every key that it sets', () => {
    const lines = renderConfig(draftSetup(proposal, [], mine)).split('\n')
    for (const key of ['roles', 'agents', 'gates', 'worktree', '  setup', '  copy']) {
      expect(lines[lines.indexOf(`${key}:`) - 1]).toMatch(/^ *# \w/)
    }
  })

  test.each([
    'true',
    'no',
    '~',
    '- x',
    '#x',
    'a: b',
    '{a}',
    "it's",
    '"q"',
    '1',
    '1e3',
    'a\tb',
    ' x',
    'x ',
    'é\u202e',
    '*a',
  ])('the odd text %j reads back unchanged', (odd) => {
    const draft = draftSetup(nothing, [], { kind: 'program', name: 'x', command: [odd, odd] })
    const gates = [{ name: 'test', command: odd }]
    const read = parse(renderConfig({ ...draft, gates, worktree: { setup: [odd], copy: [], link: [odd] } }))
    expect(read).toMatchObject({
      agents: { x: { command: [odd, odd] } },
      gates: { test: odd },
      worktree: { setup: [odd], link: [odd] },
    })
  })
})
