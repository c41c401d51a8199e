/** Runs the built ACP client against a real agent process: what the client prints and how it exits. */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { type AcpLaunch, launchFile } from '../../src/acp/client-protocol.ts'
import { readAcpLine } from '../../src/agents/acp.ts'
import type { AgentEvent } from '../../src/agents/agent.ts'
import { fileAppears, isRunning, until } from '../support/umpire.ts'

const program = resolve(import.meta.dirname, '../../dist/acp-client.js')
const agent = resolve(import.meta.dirname, '../fixtures/agents/acp-agent.mjs')
const folders: string[] = []

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

interface Spoken {
  code: number | null
  signal: NodeJS.Signals | null
  events: AgentEvent[]
  /** The lines that the agent wrote to its own log. */
  notes: Record<string, unknown>[]
}

function begin(acts: object[], part: Partial<AcpLaunch> = {}) {
  const bench = mkdtempSync(join(tmpdir(), 'umpire-acp-'))
  folders.push(bench)
  const cwd = join(bench, 'tree')
  mkdirSync(cwd)
  const launch: AcpLaunch = {
    command: [process.execPath, agent],
    access: 'write',
    cwd,
    readable: [cwd],
    preface: '',
    mode: null,
    model: null,
    resume: null,
    server: null,
    ...part,
  }
  writeFileSync(join(bench, 'scenario.json'), JSON.stringify({ developer: [acts] }))
  writeFileSync(join(bench, launchFile), JSON.stringify(launch))
  const env = { PATH: process.env.PATH ?? '', BENCH: bench, UMPIRE_ROLE: 'developer', UMPIRE_CYCLE: '1' }
  const child = spawn(process.execPath, [program, join(bench, launchFile)], { cwd, env, stdio: 'pipe' })
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text
  })
  child.stderr.resume()
  child.stdin.end('Do it.')
  const notes = (): Record<string, unknown>[] => {
    const file = join(bench, 'acp.jsonl')
    return existsSync(file) ? parseLines(readFileSync(file, 'utf8')) : []
  }
  const ended = new Promise<Spoken>((done) => {
    child.once('close', (code, signal) => {
      const lines = printed.split('\n').filter((line) => line !== '')
      done({ code, signal, events: lines.flatMap(readAcpLine), notes: notes() })
    })
  })
  return { bench, child, ended, notes }
}

function parseLines(text: string): Record<string, unknown>[] {
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
}

const speak = (acts: object[], part?: Partial<AcpLaunch>) => begin(acts, part).ended

describe('a conversation', () => {
  it('reports the session, texts, tool calls and cost, and the answer after the last tool call', async () => {
    const { code, events } = await speak([
      ...[{ think: 'Hm.' }, { say: 'I will write it.' }, { write: { 'a.txt': 'a' } }],
      ...[{ say: 'Now it is\n' }, { say: 'done.' }, { cost: 0.5 }],
    ])
    expect(code).toBe(0)
    expect(events[0]).toEqual({ type: 'session', id: expect.stringMatching(/^sess-/) })
    const pieces = events.flatMap((event) =>
      event.type === 'delta' || event.type === 'text' ? [event.text] : [],
    )
    // The empty piece separates two texts.
    expect(pieces).toEqual(['I will ', 'write i', 't.', '', 'Now it ', 'is\n', 'done.'])
    expect(events).toContainEqual({ type: 'other', text: 'Hm.' })
    expect(events).toContainEqual(expect.objectContaining({ type: 'tool', name: 'Write a.txt' }))
    expect(events.findLast((event) => event.type === 'usage')).toMatchObject({
      ...{ costUsd: 0.5, tokens: { input: 120, cached: 20, output: 5 }, counts: 'run' },
    })
    expect(events.at(-1)).toEqual({ type: 'answer', text: 'Now it is\ndone.' })
  })

  it('that is resumed leaves out replayed history, and counts the cost of all runs', async () => {
    const { events, notes } = await speak([{ say: 'On.' }, { cost: 0.5 }], { resume: 'sess-old' })
    expect(notes.some((note) => note.new)).toBe(false)
    expect(events).toContainEqual({ type: 'session', id: 'sess-old' })
    expect(JSON.stringify(events)).not.toContain('earlier life')
    expect(events.findLast((event) => event.type === 'usage')).toMatchObject({
      ...{ costUsd: 0.5, tokens: null, counts: 'session' },
    })
  })

  it('continues after a refusal ended the turn, but not forever', async () => {
    const stubborn = Array.from({ length: 9 }, () => ({ write: { 'evil.txt': 'x' }, orStop: true }))
    const { code, events, notes } = await speak(stubborn, { access: 'read' })
    expect(code).toBe(1)
    expect(notes.filter((note) => note.prompt)).toHaveLength(4)
    expect(events.at(-1)).toMatchObject({
      type: 'failure',
      class: 'crash',
      text: 'The agent cancelled its turn.',
    })
  })
})

describe('a conversation that fails', () => {
  it.each([
    ['nobody is logged in', [{ auth: true }], 'auth', 'To log in: Test key: Set TEST_KEY.'],
    ['the agent is gone before its first word', [{ exit: 3 }], 'crash', 'exit code 3'],
    [
      'the agent is gone in mid-turn',
      [{ say: 'I be' }, { die: 0, complain: 'no memory' }],
      'crash',
      'no memory',
    ],
    [
      'what its tools printed is all that is left of it',
      [{ die: 1, complain: 'npm error 403 Unauthorized; rate limit, try again in 7 days' }],
      'crash',
      'npm error 403 Unauthorized',
    ],
    ['a limit is met', [{ error: { code: 429, message: 'slow down' } }], 'rate_limited', 'slow down'],
    ['the model is busy', [{ error: { code: -32603, message: 'Overloaded' } }], 'overloaded', 'Overloaded'],
    ['the model refuses', [{ stop: 'refusal' }], 'crash', 'The model refused to continue.'],
    ['the answer is too long', [{ stop: 'max_tokens' }], 'crash', 'exceeded the model’s output limit'],
    ['the agent stops by itself', [{ stop: 'cancelled' }], 'crash', 'The agent cancelled its turn.'],
  ])('reports the failure when %s', async (_, acts, failure, words) => {
    const { code, events } = await speak(acts)
    expect(code).toBe(1)
    expect(events.at(-1)).toMatchObject({
      type: 'failure',
      class: failure,
      text: expect.stringContaining(words),
    })
  })

  it.each<[string, Partial<AcpLaunch>, string]>([
    ['program', { command: ['no-such-agent', '--acp'] }, 'no-such-agent is not installed'],
    ['mode', { mode: 'wild' }, 'no mode wild. It has: default, yolo, read-only'],
    ['model', { model: 'unheard-of' }, 'It offers: small, large.'],
  ])('is not retried with the same %s', async (_, part, words) => {
    const { events } = await speak([], part)
    expect(events.at(-1)).toMatchObject({ retry: 'never', text: expect.stringContaining(words) })
  })
})

describe('the program', () => {
  it('prints one line with the mistake when it is started with wrong arguments', () => {
    const folder = mkdtempSync(join(tmpdir(), 'umpire-acp-'))
    folders.push(folder)
    const broken = join(folder, launchFile)
    writeFileSync(broken, '{"command": []}')
    const run = (...args: string[]) => spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' })
    const said = (words: string) => ({ status: 1, stdout: '', stderr: `umpire acp-client: ${words}\n` })
    const missing = join(folder, 'nope')
    expect(run()).toMatchObject(said('Wrong use. acp-client.js LAUNCH_FILE < PROMPT'))
    expect(run(missing)).toMatchObject(
      said(`${missing} can't be read (ENOENT). Name the file that the run was given.`),
    )
    expect(run(broken)).toMatchObject(
      said(`${broken} has been changed since Umpire wrote it. Do not change the files of a session.`),
    )
  })
})

describe('a conversation that is stopped', () => {
  it('is cancelled through the protocol, and the agent exits with the client', async () => {
    const { bench, child, ended } = begin([{ say: 'On it.' }, { touch: 'hanging' }, { hang: true }])
    await fileAppears(join(bench, 'hanging'))
    child.kill('SIGTERM')
    const { signal, events, notes } = await ended
    expect(signal).toBe('SIGTERM')
    expect(notes).toContainEqual({ role: 'developer', cancelled: true })
    expect(events.at(-1)).toMatchObject({ type: 'failure', text: 'The agent was told to stop (SIGTERM).' })
    expect(isRunning(Number(notes[0]?.started))).toBe(false)
  })

  it('ends an agent that never answered', async () => {
    const { child, ended, notes } = begin([{ deaf: true }])
    await until(() => notes().length > 0, 'the start of the agent')
    child.kill('SIGTERM')
    expect((await ended).signal).toBe('SIGTERM')
    expect(isRunning(Number(notes()[0]?.started))).toBe(false)
  })
})
