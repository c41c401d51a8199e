/** What every agent adapter must do; an adapter's test calls this with the adapter and a line in which it answers. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Agent, AgentRequest } from '../../src/agents/agent.ts'

export interface AgentUnderTest {
  agent: Agent
  /** Lines as the program prints them, and the answer that is in them. */
  answering: { lines: string[]; answer: string }
}

const request: AgentRequest = {
  role: 'developer',
  model: null,
  prompt: 'Do it.',
  promptFile: '/attempts/1-1/prompt',
  cwd: '/worktree',
  args: [],
  env: {},
  folder: '/attempts/1-1/files',
  resume: null,
  tools: null,
  schema: null,
}

const tools = {
  name: 'umpire',
  command: '/usr/bin/node',
  args: ['/opt/umpire/session-tools.js', '/attempts/1-1/files'],
  tools: ['set_loop_review_result', 'run_gate'],
}

const anyRequest: fc.Arbitrary<AgentRequest> = fc.record({
  role: fc.constantFrom('developer', 'reviewer'),
  model: fc.option(fc.string()),
  prompt: fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constant('$(touch pwned) `x` "; --flag\n'.repeat(10_000)),
  ),
  promptFile: fc.constant(request.promptFile),
  cwd: fc.constant(request.cwd),
  args: fc.array(fc.string(), { maxLength: 3 }),
  env: fc.dictionary(fc.stringMatching(/^[A-Z]{1,8}$/), fc.string(), { maxKeys: 3 }),
  folder: fc.constant(request.folder),
  resume: fc.option(fc.uuid()),
  tools: fc.option(fc.constant(tools)),
  schema: fc.option(fc.constant({ type: 'object' })),
})

export function describeAgent(name: string, open: () => AgentUnderTest): void {
  describe(name, () => {
    it('is launched the same way for the same request, whatever the prompt says', () => {
      const { agent } = open()
      fc.assert(
        fc.property(anyRequest, (asked) => {
          const launch = agent.launch(asked)
          expect(agent.launch(structuredClone(asked))).toEqual(launch)
          expect(launch.argv.length).toBeGreaterThan(0)
          expect(launch.argv.every((argument) => typeof argument === 'string')).toBe(true)
          // Systems refuse longer arguments; the prompt must then travel another way.
          expect(Math.max(...launch.argv.map((argument) => Buffer.byteLength(argument)))).toBeLessThan(
            128 * 1024,
          )
        }),
      )
    })

    it('takes the role’s own arguments, environment and model from the configuration', () => {
      const { agent } = open()
      const launch = agent.launch({ ...request, args: ['--careful'], env: { MOOD: 'calm' }, model: 'small' })
      expect(launch.argv).toContain('--careful')
      expect(launch.env.MOOD).toBe('calm')
      expect(JSON.stringify(launch)).toContain('small')
    })

    it('reads any line without failing', () => {
      const { agent } = open()
      fc.assert(
        fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.json()), (line) => {
          for (const event of agent.read(line)) expect(typeof event.type).toBe('string')
        }),
      )
    })

    it('finds the answer in what the program prints', () => {
      const { agent, answering } = open()
      const events = answering.lines.flatMap((line) => agent.read(line))
      const whole = events.findLast((event) => event.type === 'answer')
      const pieces = events.flatMap((event) => (event.type === 'text' ? [event.text] : []))
      expect(whole?.text ?? pieces.join('\n')).toBe(answering.answer)
    })
  })
}
