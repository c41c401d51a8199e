/**
 * The contract of every agent adapter, tested on its two pure functions and on lines that its program really printed. A
 * built-in adapter is tested because src/agents/built-in.ts lists it. Its lines and their meaning are in
 * test/fixtures/agent-lines (see test/agents/contract.test.ts).
 */

import { isAbsolute, normalize } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import {
  type Ability,
  type Agent,
  type AgentEvent,
  type AgentRequest,
  hasTools,
  type Launch,
  type Tokens,
} from '../../src/agents/agent.ts'
import type { FailureClass } from '../../src/core/task.ts'
import { sessionOutcome } from '../../src/loop/session/session-outcome.ts'
import { noUsage, withUsage } from '../../src/loop/session/usage.ts'
import { anyRequest, anyTools, lastFailure } from '../agents/lines.ts'
import { fc } from '../support/random.ts'

export interface AgentUnderTest {
  agent: Agent
  /** `argument`: the configuration puts the prompt on the command line. */
  prompt?: 'hidden' | 'argument'
  /** `none`: a user's own program, which is the same for every role. */
  confinement?: 'own' | 'none'
  answering: Answering
  failing?: Failing[]
}

/** Lines as the program prints them, and what is in them. */
export interface Answering {
  lines: string[]
  answer: string
  /** The agent's own session id; null for agents that have none. */
  session: string | null
  usage: { costUsd: number | null; tokens: Tokens | null }
}

export interface Failing {
  name: string
  lines: string[]
  class: FailureClass
  /** Set when only the exit code and standard error tell about the failure. */
  end?: { code: number; stderr: string }
}

/** How agents name a mode in which nothing is asked and nothing is forbidden. */
const skipsPermissions = /dangerous|\byolo\b|bypass|skip-permission|full-access|full-auto|--auto\b/i

const secret = 'sekret-42'

const nothingSaid = {
  ...{ answer: '', truncated: false, structured: null, agentSession: null, usage: noUsage, failure: null },
  ...{ answered: false, waiting: null, called: [], brokenTools: null, messages: 0, handedIn: 0 },
}

/** Umpire says idle and overdue about an agent. No agent says them about itself. */
const toldClasses: FailureClass[] = ['crash', 'rate_limited', 'auth', 'overloaded']

const requests: fc.Arbitrary<AgentRequest> = fc.record({
  role: fc.constantFrom('developer', 'reviewer'),
  model: fc.option(fc.string()),
  prompt: fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constant('$(touch pwned) `x` "; --flag\n'.repeat(10_000)),
  ),
  promptFile: fc.constant(anyRequest.promptFile),
  cwd: fc.constant(anyRequest.cwd),
  args: fc.array(fc.string(), { maxLength: 3 }),
  env: fc.dictionary(fc.stringMatching(/^[A-Z]{1,8}$/), fc.string(), { maxKeys: 3 }),
  folder: fc.constant(anyRequest.folder),
  resume: fc.option(fc.uuid()),
  tools: fc.option(fc.constant(anyTools)),
  schema: fc.option(fc.constant({ type: 'object' })),
})

export function describeAgent(name: string, open: () => AgentUnderTest): void {
  describe(name, () => {
    const { agent, prompt = 'hidden', confinement = 'own', answering, failing = [] } = open()
    const launch = (part: Partial<AgentRequest>): Launch => agent.launch({ ...anyRequest, ...part })
    const can = (ability: Ability) => agent.abilities?.includes(ability) ?? false

    describe('launched', () => {
      it('is the same for the same request, does not change it, and stays within system limits', () => {
        fc.assert(
          fc.property(requests, (asked) => {
            const first = agent.launch(deepFrozen(asked))
            expect(agent.launch(structuredClone(asked))).toEqual(first)
            expect(first.argv.every((argument) => typeof argument === 'string')).toBe(true)
            expect(Object.values(first.env).every((value) => typeof value === 'string')).toBe(true)
            // Operating systems reject longer arguments, so the prompt must then be passed differently.
            const longest = Math.max(...first.argv.map((argument) => Buffer.byteLength(argument)))
            expect(longest).toBeLessThan(128 * 1024)
          }),
        )
      })

      it.runIf(prompt === 'hidden')('shows neither the prompt nor a secret in the process list', () => {
        for (const role of ['developer', 'reviewer'] as const) {
          const asked = { role, prompt: 'a prompt of its own', env: { API_KEY: secret }, tools: anyTools }
          const { argv, env } = launch(asked)
          expect(argv.join('\n')).not.toContain('a prompt of its own')
          expect(argv.join('\n')).not.toContain(secret)
          expect(JSON.stringify(env)).not.toContain('a prompt of its own')
        }
      })

      it('takes the role’s own arguments, environment and model from the configuration, in every role', () => {
        for (const role of ['developer', 'reviewer'] as const) {
          const made = launch({ role, args: ['--careful'], env: { MOOD: 'calm' }, model: 'small-one' })
          expect(JSON.stringify([made.argv, made.files])).toContain('--careful')
          expect(made.env.MOOD).toBe('calm')
          expect(JSON.stringify(made)).toContain('small-one')
          expect(JSON.stringify(launch({ role }))).not.toContain('small-one')
        }
      })

      it('writes its files into the run’s folder and nowhere else', () => {
        for (const role of ['developer', 'reviewer'] as const) {
          const { files = {} } = launch({ role, tools: anyTools, schema: { type: 'object' } })
          for (const [path, text] of Object.entries(files)) {
            expect([path, isAbsolute(path), normalize(path)]).toEqual([path, false, path])
            expect(path.split('/')).not.toContain('..')
            expect(typeof text).toBe('string')
          }
          // The description of the tools' session, with the token, already exists.
          expect(Object.keys(files)).not.toContain('session.json')
        }
      })

      it('skips no permission checks as a reviewer, and differs from the developer if it confines itself', () => {
        const reviewer = launch({ role: 'reviewer', tools: anyTools })
        expect(JSON.stringify(reviewer)).not.toMatch(skipsPermissions)
        const isSame = isDeepStrictEqual(reviewer, launch({ role: 'developer', tools: anyTools }))
        expect(isSame).toBe(confinement === 'none')
      })

      it('passes on what the agent supports, and leaves no trace of what it does not', () => {
        const wishes: [Ability, Partial<AgentRequest>, string][] = [
          ['tools', { role: 'reviewer', tools: anyTools }, '/opt/umpire/tools.js'],
          ['structured', { role: 'reviewer', schema: { title: 'as-asked' } }, 'as-asked'],
          ['resume', { role: 'developer', resume: 'session-77' }, 'session-77'],
        ]
        for (const [ability, wish, sign] of wishes) {
          const made = launch(wish)
          if (can(ability)) expect(JSON.stringify(made)).toContain(sign)
          else expect(made).toEqual(launch({ role: wish.role ?? 'developer' }))
        }
      })

      it('gets the tools in every role except those in which it says that it can’t', () => {
        for (const role of ['developer', 'reviewer'] as const) {
          const isGiven = JSON.stringify(launch({ role, tools: anyTools })).includes('/opt/umpire/tools.js')
          expect(isGiven).toBe(hasTools(agent, role))
        }
      })

      it('names only absolute state folders, and none that it would have to guess', () => {
        for (const env of [{}, { HOME: '/home/me' }]) {
          for (const folder of agent.stateFolders?.(env) ?? []) expect(isAbsolute(folder)).toBe(true)
        }
      })
    })

    describe('read', () => {
      it('finds the answer in what the program printed', () => {
        const events = answering.lines.flatMap((line) => agent.read(line))
        expect(answerIn(events)).toBe(answering.answer)
        expect(lastFailure(events)).toBeNull()
      })

      it('finds the session and the usage', () => {
        const events = answering.lines.flatMap((line) => agent.read(line))
        const ids = events.flatMap((event) => (event.type === 'session' ? [event.id] : []))
        expect(ids.at(-1) ?? null).toBe(answering.session)
        // Agents that can be resumed report their session id.
        expect(answering.session !== null || !can('resume')).toBe(true)
        const used = events.reduce(
          (total, event) => (event.type === 'usage' ? withUsage(total, event) : total),
          noUsage,
        )
        expect({ costUsd: used.costUsd, tokens: used.tokens }).toEqual(answering.usage)
      })

      it.runIf(answering.session !== null)('rejects a session id that looks like an option', () => {
        const lines = answering.lines.map((line) => line.replaceAll(answering.session ?? '', '--dangerous'))
        const types = lines.flatMap((line) => agent.read(line)).map(({ type }) => type)
        expect(types).not.toContain('session')
      })

      it.each(failing)('classifies $name as $class', ({ lines, class: failure, end }) => {
        const told = lastFailure(lines.flatMap((line) => agent.read(line)))
        const heard = told ?? (end ? agent.explain?.({ ...end, answered: false }) : null)
        expect(heard?.class).toBe(failure)
        expect(heard?.text).toMatch(/\S/)
      })

      it('reads any line without failing, and emits only valid events', () => {
        fc.assert(fc.property(anyLine(answering.lines), (line) => agent.read(line).forEach(expectSound)))
        agent.read(`{"type":"${'x'.repeat(3_000_000)}`).forEach(expectSound)
      })

      it('does not mistake output of its tools for its own failure', () => {
        const words = ['Error: 401 Unauthorized', 'error: rate limit exceeded, try again in 7 days']
        const lastErrors = [...words, 'npm error 403 Forbidden', '  -h, --help  shows the help']
        const heard = { ...nothingSaid, called: ['shell'], lastErrors }
        const end = { kind: 'exited', code: 1, overdue: false, endedAt: '' } as const
        const session = { role: 'developer', limitMs: 1000, idleMs: 1000 } as const
        const outcome = sessionOutcome(end, session, heard, agent.explain)
        expect(outcome).toMatchObject({ kind: 'failed', class: 'crash', retryAt: null })
        expect(outcome).not.toHaveProperty('retry')
      })

      it('reads any text on standard error, and any exit code', () => {
        fc.assert(
          fc.property(fc.string({ unit: 'binary' }), fc.nat(255), fc.boolean(), (stderr, code, answered) => {
            for (const event of agent.readStderr?.(stderr) ?? []) expectSound(event)
            const failure = agent.explain?.({ code, stderr, answered }) ?? null
            if (failure) expectSound({ type: 'failure', ...failure })
          }),
        )
      })
    })
  })
}

/** As the loop combines it: the final answer, or otherwise the texts, with streamed pieces joined. */
function answerIn(events: AgentEvent[]): string {
  const final = events.findLast((event) => event.type === 'answer')
  if (final) return final.text
  const said: string[] = []
  let last: AgentEvent['type'] | null = null
  for (const event of events) {
    if (event.type !== 'text' && event.type !== 'delta') continue
    if (event.type === 'delta' && last === 'delta') said.push(`${said.pop() ?? ''}${event.text}`)
    else said.push(event.text)
    last = event.type
  }
  return said.join('\n')
}

function expectSound(event: AgentEvent): void {
  if ('text' in event) expect(typeof event.text).toBe('string')
  // The program will get it as an argument again, so it must not look like an option.
  if (event.type === 'session') expect(event.id).toMatch(/^[A-Za-z0-9][\w.-]*$/)
  if (event.type === 'failure') expect(toldClasses).toContain(event.class)
  if (event.type === 'usage') {
    const { input = 0, cached = 0, output = 0 } = event.tokens ?? {}
    for (const count of [event.costUsd ?? 0, input, cached, output]) expect(Number.isFinite(count)).toBe(true)
  }
}

/** Garbage, any JSON, and the program's lines with a piece cut off or a value replaced by anything. */
function anyLine(recorded: string[]): fc.Arbitrary<string> {
  const lines = fc.constantFrom('', ...recorded)
  return fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.json(),
    fc.tuple(lines, fc.nat(500)).map(([line, length]) => line.slice(0, length)),
    fc.tuple(lines, fc.nat(200), fc.jsonValue()).map(([line, place, value]) => withValue(line, place, value)),
  )
}

/** The line with its n-th value replaced. */
function withValue(line: string, place: number, value: unknown): string {
  let seen = 0
  try {
    return JSON.stringify(JSON.parse(line, (_, old: unknown) => (seen++ === place ? value : old))) ?? ''
  } catch {
    return line
  }
}

function deepFrozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const each of Object.values(value)) deepFrozen(each)
    Object.freeze(value)
  }
  return value
}
