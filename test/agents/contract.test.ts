/**
 * Runs the contract suite on every agent. A built-in agent joins through its line in src/agents/built-in.ts and its
 * recorded output in test/fixtures/agent-lines/NAME. Only agents that need a definition have a line here.
 */
import { describe, expect, test } from 'vitest'
import { acpAgent } from '../../src/agents/acp.ts'
import { builtInAgents } from '../../src/agents/built-in.ts'
import { commandAgent } from '../../src/agents/command.ts'
import { scriptedAgent } from '../../src/agents/scripted.ts'
import { type AgentUnderTest, describeAgent } from '../contract/agents.ts'
import { recordedBy } from './recorded.ts'

const plain: Omit<AgentUnderTest, 'agent'> = {
  confinement: 'none',
  answering: {
    lines: ['Looks good.', '', '**Verdict: APPROVED**'],
    answer: 'Looks good.\n\n**Verdict: APPROVED**',
    session: null,
    usage: { costUsd: null, tokens: null },
  },
}

for (const agent of builtInAgents) describeAgent(agent.title ?? agent.name, () => recordedBy(agent))

for (const command of ['gemini', 'opencode', 'claude-agent-acp', 'codex-acp', 'mine'] as const) {
  const agent = acpAgent('mine', { command: [command, '--acp'], mode: null })
  describeAgent(`${command} by ACP`, () => recordedBy(agent, 'acp'))
}

describeAgent('a command that reads standard input', () => ({
  ...plain,
  agent: commandAgent('mine', { command: ['mine', '--quiet'], prompt: 'stdin' }),
}))
describeAgent('a command that takes the prompt as an argument', () => ({
  ...plain,
  prompt: 'argument',
  agent: commandAgent('mine', { command: ['mine'], prompt: 'argument' }),
}))
describeAgent('a command that takes the prompt as a file', () => ({
  ...plain,
  agent: commandAgent('mine', { command: ['mine'], prompt: 'file' }),
}))
describeAgent('a command that is told of the session’s tools', () => ({
  ...plain,
  agent: commandAgent('mine', { command: ['mine'], prompt: 'stdin', tools: 'http' }),
}))
describeAgent('the scripted agent', () => ({ ...plain, agent: scriptedAgent('actor', '/script.yaml') }))

describe('the contract', () => {
  test('refuses an agent without recorded output', () => {
    const agent = { ...commandAgent('new-one', { command: ['new-one'], prompt: 'stdin' }) }
    expect(() => recordedBy(agent)).toThrow('new-one has no recorded lines')
  })

  test('gives every agent its own name', () => {
    const names = builtInAgents.map(({ name }) => name)
    expect(names).toEqual([...new Set(names)])
    for (const name of names) expect(name).toMatch(/^[a-z][a-z0-9-]*$/)
  })
})
