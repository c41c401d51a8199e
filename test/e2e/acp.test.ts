/** Whole runs with an agent that speaks the Agent Client Protocol: test/fixtures/agents/acp-agent.mjs. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { type Bench, fileAppears, isRunning, openBench, until } from '../support/umpire.ts'

const agent = resolve(import.meta.dirname, '../fixtures/agents/acp-agent.mjs')

/** What the agent does in each cycle, and the modes it offers. */
interface Parts {
  developer?: object[][]
  reviewer?: object[][]
  modes?: string[]
}

function openWith(parts: Parts, config: Record<string, unknown> = {}, more: object = {}): Bench {
  const bench = openBench({
    config: {
      roles: { developer: 'mine', reviewer: 'mine' },
      // The agent writes its notes next to the checkout, where an agent in the sandbox cannot write.
      agents: { mine: { agent: 'acp', command: ['node', agent], confine: false, ...more } },
      ...config,
    },
  })
  writeFileSync(join(bench.folder, 'scenario.json'), JSON.stringify(parts))
  return bench
}

type Note = Record<string, unknown> & { role: string }

/** The agent's notes, in order. */
function notes({ folder }: Bench): Note[] {
  const file = join(folder, 'acp.jsonl')
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
}

const approve = { call: 'set_loop_review_result', with: { verdict: 'APPROVED', summary: 'Fine.' } }
const work = [{ write: { 'made.txt': 'made\n' } }, { say: 'Done.' }]

test('agents.*.agent: acp develops, revises and is approved through tool calls, in the configured mode', async () => {
  const changes = { verdict: 'CHANGES_REQUESTED', issues: [{ description: 'Say goodbye, too' }] }
  const bench = openWith(
    {
      developer: [
        [{ think: 'Hm.' }, { say: 'I begin.' }, ...work],
        [{ write: { 'made.txt': 'made, goodbye\n' } }, { say: 'Done again.' }],
      ],
      reviewer: [
        [{ call: 'set_loop_review_result', with: changes }],
        [{ say: '**Verdict: REJECTED**' }, approve, { say: 'It is well.\n\n**Verdict: APPROVED**' }],
      ],
      modes: ['default', 'careful', 'read-only'],
    },
    {
      roles: {
        developer: { agent: 'mine', model: 'large', args: ['--fast'], env: { MOOD: 'calm' } },
        reviewer: 'mine',
      },
    },
    { mode: 'careful', env: { MOOD: 'wild' } },
  )
  await bench.add('Make a file')
  expect(await bench.umpire('work')).toMatchObject({ code: 0, stderr: '' })

  expect(bench.git('show', 'umpire/1-make-a-file:made.txt')).toBe('made, goodbye')
  const shown = await bench.show(1)
  expect(shown).toMatchObject({ verdict: 'APPROVED', cycle: 2 })
  expect(shown.sessions).toMatchObject(
    [1, 2, 3, 4].map((n) => ({ agent: 'mine', agentSession: `sess-1-${n}`, status: 'done', exitCode: 0 })),
  )
  // Each of the four sessions uses 100 new tokens, 20 from the cache and 5 of output.
  expect(shown.tokens).toBe(500)
  expect(shown.reviews).toMatchObject([
    { channel: 'tool', verdict: 'CHANGES_REQUESTED' },
    { channel: 'tool' },
  ])

  const told = notes(bench)
  const [developer, reviewer] = ['developer', 'reviewer'].map((role) =>
    told.filter((note) => note.role === role),
  )
  expect(developer?.[0]).toMatchObject({ args: ['--fast'], mood: 'calm' })
  expect(reviewer?.[0]).toMatchObject({ args: [], mood: 'wild' })
  expect(developer).toContainEqual({ role: 'developer', mode: 'careful' })
  expect(developer).toContainEqual({ role: 'developer', option: 'model', value: 'large' })
  expect(reviewer).toContainEqual({ role: 'reviewer', mode: 'read-only' })
  // Umpire offers the agent neither file access nor a terminal.
  expect(told.find((note) => note.initialize)?.initialize).toMatchObject({
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
  })
  expect(told.find((note) => note.new)?.new).toMatchObject({
    cwd: expect.stringContaining('worktrees'),
    mcpServers: [{ name: 'umpire', args: [expect.stringContaining('session-tools.js'), expect.any(String)] }],
  })
  expect(told.find((note) => note.prompt)?.prompt).toMatchObject([
    { type: 'text', text: expect.stringContaining('Make a file') },
  ])
  // Umpire allows it once, not always: "always" could end up in a settings file.
  expect(developer).toContainEqual(
    expect.objectContaining({
      asked: 'Write made.txt',
      outcome: { outcome: 'selected', optionId: 'allow_once' },
    }),
  )
})

test('an ACP reviewer may use only its tools and its own files, and still reaches its verdict after a refusal', async () => {
  const outside = { kind: 'read', title: 'Read it', locations: [{ path: '/etc/passwd' }] }
  const inside = { kind: 'read', title: 'Read it', locations: [{ path: 'README.md' }] }
  const spelt = { kind: 'execute', title: 'mcp__umpire__set_loop_review_result' }
  const bench = openWith({
    developer: [work],
    reviewer: [
      [
        { write: { 'evil.txt': 'x' } },
        ...[outside, inside, spelt].map((ask) => ({ ask })),
        { ask: { kind: 'other', title: 'Leave plan mode' } },
        { write: { 'evil.txt': 'x' }, orStop: true },
        approve,
        { say: 'Sent.' },
      ],
    ],
  })
  await bench.add('Make a file')
  expect((await bench.umpire('work')).code).toBe(0)
  expect(notes(bench).flatMap((note) => (note.allowed === undefined ? [] : [note.allowed]))).toEqual([
    ...[false, true, false, false],
  ])
  expect(await bench.show(1)).toMatchObject({ verdict: 'APPROVED', reviews: [{ channel: 'tool' }] })
  expect(bench.git('ls-tree', '--name-only', '-r', 'umpire/1-make-a-file')).not.toContain('evil')
  const log = await bench.umpire('log', '1', '--role', 'reviewer', '--raw')
  expect(log.stdout).toContain('"type":"refused","text":"edit: Write evil.txt"')
  const prompts = notes(bench).filter((note) => note.role === 'reviewer' && note.prompt)
  expect(JSON.stringify(prompts[1])).toContain('That was refused')
})

test('never prompts an ACP reviewer whose only modes write without asking', async () => {
  const bench = openWith({ developer: [work], reviewer: [[approve]], modes: ['yolo', 'turbo'] })
  await bench.add('Make a file')
  const { stdout } = await bench.umpire('work', '--plain')
  expect(stdout).toContain('in mode yolo, which writes without asking')
  expect(notes(bench).filter(({ role, prompt }) => role === 'reviewer' && prompt)).toEqual([])
})

test('stops an ACP reviewer that leaves its mode, and ignores its verdict', async () => {
  const bench = openWith({
    developer: [work],
    reviewer: [[{ switch: 'yolo' }, { say: '**Verdict: APPROVED**' }, { hang: true }]],
  })
  await bench.add('Make a file')
  expect((await bench.umpire('work')).code).toBe(1)
  const shown = await bench.show(1)
  expect(shown).toMatchObject({ status: 'failed', reason: 'crash', verdict: null, reviews: [] })
  expect((await bench.umpire('show', '1')).stdout).toContain('from mode read-only to yolo')
})

test('says how to log in to an ACP agent, and shows the last output of one that exits', async () => {
  const bench = openWith({ developer: [[{ auth: true }]] })
  await bench.add('Make a file')
  const stopped = await bench.umpire('work', '--plain')
  expect(stopped.code).toBe(1)
  expect(await bench.show(1)).toMatchObject({ status: 'failed', reason: 'auth' })
  expect(stopped.stdout + stopped.stderr).toContain('Test key: Set TEST_KEY')

  writeFileSync(join(bench.folder, 'scenario.json'), JSON.stringify({ developer: [[{ exit: 3 }]] }))
  await bench.umpire('retry', '1')
  const { code, stdout } = await bench.umpire('work', '--plain')
  expect(code).toBe(1)
  expect(await bench.show(1)).toMatchObject({ status: 'failed', reason: 'crash' })
  expect(stdout).toContain('ended with exit code 3: acp-agent: here I am / acp-agent: I give up')
})

test('reports a mode that an ACP agent does not have, and does not retry', async () => {
  const bench = openWith({}, { limits: { agent_retries: 2 } }, { mode: 'wild' })
  await bench.add('Make a file')
  const { stdout } = await bench.umpire('work', '--plain')
  expect(stdout).toContain('no mode wild. It has: default, yolo, read-only')
  expect((await bench.show(1)).sessions).toHaveLength(1)
})

test('continue_session resumes an ACP agent’s session, and does not take its replayed history for its answer', async () => {
  const bench = openWith(
    {
      developer: [work, [{ write: { 'made.txt': 'better\n' } }]],
      reviewer: [[{ say: 'FEEDBACK: better, please' }], [approve]],
    },
    { roles: { developer: { agent: 'mine', continue_session: true }, reviewer: 'mine' } },
  )
  await bench.add('Make a file')
  expect((await bench.umpire('work')).code).toBe(0)
  expect(notes(bench).flatMap((note) => (note.load ? [note.load] : []))).toMatchObject([
    { sessionId: 'sess-1-1' },
  ])
  expect((await bench.show(1)).sessions[2]).toMatchObject({ role: 'developer', agentSession: 'sess-1-1' })
  expect((await bench.umpire('log', '1', '--raw')).stdout).not.toContain('earlier life')
})

test('Ctrl-C cancels an ACP agent and leaves no process behind', async () => {
  const bench = openWith({ developer: [[{ spawn: true }, { touch: 'hanging' }, { hang: true }]] })
  await bench.add('Make a file')
  const run = bench.start('work')
  await fileAppears(join(bench.folder, 'hanging'))
  run.kill('SIGINT')
  expect((await run.ended).code).toBe(130)
  expect(notes(bench)).toContainEqual({ role: 'developer', cancelled: true })
  const pid = Number(notes(bench)[0]?.started)
  await until(() => !isRunning(pid), 'the end of the agent')
})

test('a timeout stops an ACP agent that never answers, and leaves no process behind', async () => {
  const bench = openWith({ developer: [[{ deaf: true }]] }, { limits: { develop: '2s', agent_retries: 0 } })
  await bench.add('Make a file')
  expect((await bench.umpire('work')).code).toBe(3)
  expect(await bench.show(1)).toMatchObject({ status: 'blocked', reason: 'timeout' })
  expect(isRunning(Number(notes(bench)[0]?.started))).toBe(false)
})

test('an ACP agent needs a definition with the command that starts it', async () => {
  const bench = openWith({}, { roles: { developer: 'acp', reviewer: 'mine' } })
  const { code, stderr } = await bench.umpire('work')
  expect(code).toBe(2)
  expect(stderr).toContain('agents: { NAME: { agent: acp, command: [gemini, --acp] } }')
})
