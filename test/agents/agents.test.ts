import { describe, expect, it } from 'vitest'
import { commandAgent } from '../../src/agents/command.ts'
import { scriptedAgent } from '../../src/agents/scripted.ts'
import { describeAgent } from '../contract/agents.ts'

const plain = {
  lines: ['Looks good.', '', '**Verdict: APPROVED**'],
  answer: 'Looks good.\n\n**Verdict: APPROVED**',
}

describeAgent('a command that reads standard input', () => ({
  agent: commandAgent('mine', { command: ['mine', '--quiet'], prompt: 'stdin' }),
  answering: plain,
}))
describeAgent('a command that takes the prompt as an argument', () => ({
  agent: commandAgent('mine', { command: ['mine'], prompt: 'argument' }),
  answering: plain,
}))
describeAgent('a command that takes the prompt as a file', () => ({
  agent: commandAgent('mine', { command: ['mine'], prompt: 'file' }),
  answering: plain,
}))
describeAgent('the scripted agent', () => ({
  agent: scriptedAgent('actor', '/script.yaml'),
  answering: plain,
}))

describe('a command', () => {
  const request = {
    role: 'developer',
    model: null,
    prompt: 'Do $(it)\n--now',
    promptFile: '/p',
    folder: '/f',
    resume: null,
    tools: null,
    schema: null,
    cwd: '/w',
    args: ['-x'],
    env: {},
  } as const

  it('gets the prompt as one argument, after the role’s own, with nothing in it interpreted', () => {
    const agent = commandAgent('mine', { command: ['mine', 'run'], prompt: 'argument' })
    expect(agent.launch({ ...request, args: ['-x'] }).argv).toEqual(['mine', 'run', '-x', 'Do $(it)\n--now'])
  })

  it('is pointed to the prompt’s file when the prompt is too long for an argument', () => {
    const agent = commandAgent('mine', { command: ['mine'], prompt: 'argument' })
    const { argv } = agent.launch({ ...request, args: [], prompt: 'ä'.repeat(100_000) })
    expect(argv[1]).toContain('/p')
  })
})
