import { describe, expect, it } from 'vitest'
import { commandAgent } from '../../src/agents/command.ts'

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

  it('gets the prompt as one uninterpreted argument, after the role’s own arguments', () => {
    const agent = commandAgent('mine', { command: ['mine', 'run'], prompt: 'argument' })
    expect(agent.launch({ ...request, args: ['-x'] }).argv).toEqual(['mine', 'run', '-x', 'Do $(it)\n--now'])
  })

  it('gets the path of the prompt file when the prompt is too long for an argument', () => {
    const agent = commandAgent('mine', { command: ['mine'], prompt: 'argument' })
    const { argv } = agent.launch({ ...request, args: [], prompt: 'ä'.repeat(100_000) })
    expect(argv[1]).toContain('/p')
  })
})
