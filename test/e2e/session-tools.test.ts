/** The tools of an agent session, in a real loop. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { hasSandbox } from '../support/sandbox.ts'
import { callFromOutside, callsOf, openToolBench, sessionTools } from '../support/tool-bench.ts'
import { fileAppears } from '../support/umpire.ts'

const approval = { verdict: 'APPROVED', summary: 'Fine.', intentSatisfied: true, issues: [] }

test.each<'stdio' | 'http'>([
  // From a server that the agent starts, as Claude Code does, or over HTTP, as agents.NAME.tools says.
  'stdio',
  'http',
])(
  'agents.NAME.tools, %s: agents report, check, review and complete work with the tools of their session',
  async (way) => {
    const bench = openToolBench(way, {
      config: {
        gates: { wanted: 'test -e wanted.txt', all: 'echo all is well' },
        develop: { until: 'claim' },
      },
      scenario: {
        developer: [
          {
            iteration: 1,
            do: [
              { list: 'tools' },
              { call: 'report_progress', with: { message: 'Looking\n around' } },
              { call: 'run_gate', with: { name: 'wanted' } },
              { write: { 'wanted.txt': 'yes\n' } },
              { call: 'run_gate' },
              { call: 'complete_task' },
            ],
          },
          { do: [{ write: { 'more.txt': 'yes\n' } }, { call: 'complete_task' }] },
        ],
        reviewer: [
          {
            cycle: 1,
            do: [
              { list: 'tools' },
              { call: 'run_gate', with: { name: 'wanted' } },
              {
                call: 'set_loop_review_result',
                with: {
                  verdict: 'CHANGES_REQUESTED',
                  passed: null,
                  summary: 'More.',
                  taskId: 1,
                  loopId: 'loop-1',
                  issues: [
                    { id: null, file: 'wanted.txt', line: 1, type: 'bug', description: 'There is more.' },
                  ],
                },
              },
              { say: 'I have handed in my review.' },
            ],
          },
          { do: [{ call: 'set_loop_review_result', with: approval }, { say: 'Done.' }] },
        ],
      },
    })
    await bench.add('Use the tools')
    const ran = await bench.umpire('work', '--plain')
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.stdout).toContain('Progress: Looking around')

    const offered = bench.played().flatMap(({ tools }) => (tools ? [tools.map(({ name }) => name)] : []))
    expect(offered).toEqual([
      ['complete_task', 'fail_task', 'report_progress', 'run_gate'],
      ['set_loop_review_result', 'set_review_result', 'report_progress', 'run_gate'],
    ])
    expect(callsOf(bench, 'developer')).toEqual([
      ['report_progress', false, 'Noted.'],
      ['run_gate', false, expect.stringContaining('Gate "wanted" failed (exit code 1)')],
      ['run_gate', false, expect.stringMatching(/"wanted" passed[\s\S]+"all" passed[\s\S]+all is well/)],
      ['complete_task', false, expect.stringContaining('the task is complete')],
      ['complete_task', false, expect.stringContaining('the task is complete')],
    ])
    expect(callsOf(bench, 'reviewer')).toEqual([
      ['run_gate', false, expect.stringContaining('Gate "wanted" passed')],
      ['set_loop_review_result', false, expect.stringContaining('was accepted')],
      ['set_loop_review_result', false, expect.stringContaining('was accepted')],
    ])
    const shown = await bench.show(1)
    expect(shown).toMatchObject({ verdict: 'APPROVED', cycle: 2, iteration: 2 })
    expect(shown.reviews.map(({ channel }) => channel)).toEqual(['tool', 'tool'])
    expect(shown.issues).toMatchObject([{ description: 'There is more.', status: 'resolved' }])
    // A gate run that an agent asked for is no result of the task.
    expect(shown.gates.map(({ name, passed }) => [name, passed])).toEqual([
      ['wanted', true],
      ['all', true],
      ['wanted', true],
      ['all', true],
    ])
    const noted = (await bench.events()).filter(({ type }) => type === 'session.noted')
    expect(noted.map(({ message }) => message)).toEqual([
      'Progress: Looking around',
      'The developer asked for gates: wanted failed',
      'The developer asked for gates: wanted passed, all passed',
      'The reviewer asked for gates: wanted passed',
    ])
    expect((await bench.umpire('log', '1')).stdout).toMatch(/^· Progress: Looking around$/m)
    expect(shown.sessions.flatMap(({ refused }) => refused)).toEqual([])
    // Each prompt names the tools of its session, and nothing else.
    for (const { prompt, role } of shown.sessions) {
      expect(prompt).not.toContain('umpire submit')
      expect(prompt).toContain(role === 'developer' ? '`fail_task`' : '`set_loop_review_result`')
    }
    expect(bench.git('worktree', 'list')).not.toContain('scratch')
  },
)

test.skipIf(!hasSandbox)('the tools also work for confined agents', async () => {
  const scenario = {
    developer: [
      {
        do: [
          { write: { 'wanted.txt': 'yes\n' } },
          { call: 'run_gate' },
          { call: 'report_progress', with: { message: 'Done.' } },
        ],
      },
    ],
    reviewer: [{ do: [{ call: 'run_gate' }, { call: 'set_loop_review_result', with: approval }] }],
  }
  const bench = openToolBench(
    'stdio',
    { config: { gates: { wanted: 'test -e wanted.txt' } }, scenario },
    'confined',
  )
  await bench.add('Work in a box')
  expect((await bench.umpire('work')).code).toBe(0)
  expect([...callsOf(bench, 'developer'), ...callsOf(bench, 'reviewer')]).toEqual([
    ['run_gate', false, expect.stringContaining('Gate "wanted" passed')],
    ['report_progress', false, 'Noted.'],
    ['run_gate', false, expect.stringContaining('Gate "wanted" passed')],
    ['set_loop_review_result', false, expect.any(String)],
  ])
  expect((await bench.show(1)).reviews).toMatchObject([{ channel: 'tool', verdict: 'APPROVED' }])
  const started = (await bench.events()).filter(({ type }) => type === 'session.started')
  expect(started.map(({ data }) => data.confined)).toEqual([true, true])
})

describe('a tool refuses', () => {
  test('ids of other tasks, malformed reviews, a second submission, and calls of the other role', async () => {
    const bench = openToolBench('stdio', {
      config: { gates: { test: 'true' } },
      scenario: {
        developer: [
          {
            do: [
              { write: { 'a.txt': 'a\n' } },
              { call: 'set_loop_review_result', with: approval },
              { call: 'set_review_result', with: approval },
              { call: 'run_gate', with: { name: 'tests' } },
              { call: 'run_gate', with: { name: 7 } },
              { call: 'fail_task' },
              { call: 'report_progress', with: { message: ' ' } },
              { call: 'no_such_tool' },
              { call: 'complete_task', with: { taskId: 2 } },
              { call: 'complete_task' },
              { call: 'fail_task', with: { reason: 'Changed my mind.' } },
            ],
          },
        ],
        reviewer: [
          {
            do: [
              { call: 'complete_task' },
              { call: 'set_review_result', with: approval },
              { call: 'set_loop_review_result', with: { ...approval, taskId: '2' } },
              { call: 'set_loop_review_result', with: { ...approval, loopId: 'loop-2' } },
              { call: 'set_loop_review_result', with: { summary: 'Nothing said.' } },
              { call: 'set_loop_review_result', with: { verdict: 'FINE', issues: 'none' } },
              { call: 'set_loop_review_result', with: { ...approval, scores: { tests: 10 } } },
              {
                call: 'set_loop_review_result',
                with: { verdict: 'APPROVED', issues: [{ description: 'No.', severity: 'blocking' }] },
              },
              { call: 'set_loop_review_result', with: approval },
              { call: 'set_loop_review_result', with: approval },
              { say: 'I have handed in my review.' },
            ],
          },
        ],
      },
    })
    await bench.add('Misuse the tools')
    await bench.add('Another')
    expect((await bench.umpire('work', '1')).code).toBe(0)
    const refusal = (text: string | RegExp) => [
      expect.any(String),
      true,
      typeof text === 'string' ? expect.stringContaining(text) : expect.stringMatching(text),
    ]
    expect(callsOf(bench, 'developer')).toEqual([
      refusal(/developer's session\. Only a reviewer submits a review\..* Nothing was accepted\.$/),
      refusal("This is a developer's session."),
      refusal('There is no gate "tests". The gates of this task: "test".'),
      refusal('"name" must be the name of a gate'),
      refusal('"reason" must be a non-empty text'),
      refusal('"message" must be a non-empty text'),
      refusal(/no tool "no_such_tool"\. The tools are set_loop_review_result, /),
      refusal('This session belongs to task 1, not to task 2.'),
      ['complete_task', false, expect.any(String)],
      refusal('has already handed in'),
    ])
    expect(callsOf(bench, 'reviewer')).toEqual([
      refusal("This is a reviewer's session."),
      refusal('Call set_loop_review_result.'),
      refusal('not to task "2".'),
      refusal('This session belongs to loop loop-1, not to loop "loop-2".'),
      refusal("The review can't be accepted: no verdict found"),
      refusal(
        /can't be accepted: .*verdict.*issues must be a list.* Nothing was accepted\. Fix the review and hand it in again\./,
      ),
      refusal(/tests.*70/),
      refusal(/blocking/),
      ['set_loop_review_result', false, expect.any(String)],
      refusal('has already handed in'),
    ])
    const shown = await bench.show(1)
    expect(shown).toMatchObject({
      verdict: 'APPROVED',
      cycle: 1,
      reviews: [{ channel: 'tool', summary: 'Fine.' }],
    })
    // A person sees the refused calls.
    expect(shown.sessions[1]?.refused).toContain(
      'set_loop_review_result: This session belongs to loop loop-1, not to loop "loop-2".',
    )
  })

  const keepParticulars = 'cp -r "$(dirname "$UMPIRE_PROMPT_FILE")/files" "$BENCH/kept"'

  test('callers without the token, callers from another session, and callers that come too late', async () => {
    const bench = openToolBench('http', {
      scenario: {
        developer: [
          {
            do: [
              { write: { 'a.txt': 'a\n' } },
              { run: ['sh', '-c', keepParticulars] },
              { touch: '$BENCH/running' },
              { await: '$BENCH/go' },
              { call: 'complete_task', server: ['node', sessionTools, '$BENCH/other'] },
            ],
          },
        ],
      },
    })
    await bench.add('Be there')
    const working = bench.start('work')
    await fileAppears(join(bench.folder, 'running'))
    const kept = join(bench.folder, 'kept')
    const brief = JSON.parse(readFileSync(join(kept, 'session.json'), 'utf8'))
    const forge = (name: string, change: object): string => {
      const folder = join(bench.folder, name)
      mkdirSync(folder)
      writeFileSync(join(folder, 'session.json'), JSON.stringify({ ...brief, ...change }))
      return folder
    }
    const call = (folder: string) => callFromOutside(folder, 'complete_task')
    const wrong = forge('wrong', { UMPIRE_TOKEN: 'guessed' })
    expect(await call(wrong)).toEqual({
      isError: true,
      text: expect.stringContaining('The token does not belong to session 1-1.'),
    })
    expect(await callFromOutside(wrong, 'report_progress', { message: 'Hello.' })).toMatchObject({
      isError: true,
    })
    expect(await call(forge('unknown', { UMPIRE_SESSION: '9-9' }))).toMatchObject({
      text: expect.stringContaining('There is no session 9-9.'),
    })
    forge('other', { UMPIRE_SESSION: '9-9' })
    writeFileSync(join(bench.folder, 'go'), '')
    expect((await working.ended).code).toBe(0)
    expect(callsOf(bench, 'developer')).toEqual([
      ['complete_task', true, expect.stringContaining('belongs to session 1-1, not to 9-9')],
    ])
    expect(await call(kept)).toEqual({
      isError: true,
      text: 'Session 1-1 has ended. It is too late to hand in anything.',
    })
    expect((await bench.events()).filter(({ type }) => type === 'session.noted')).toMatchObject([
      { data: { about: 'tools' } },
    ])
  })

  test('more gate runs and progress reports than a session may have', async () => {
    // Requests as an agent could write them itself, without the token: Umpire counts them, but does not serve them.
    const forge = (from: number, to: number, body: object) =>
      `for n in $(seq ${from} ${to}); do echo '${JSON.stringify({ token: 'guessed', body: JSON.stringify(body) })}' > "$asked/$n"; done`
    const forged = [
      'asked="$(dirname "$UMPIRE_PROMPT_FILE")/requests"',
      forge(1, 19, { ask: 'gate', name: null }),
      forge(20, 68, { ask: 'progress', message: 'Forged.' }),
    ]
    const bench = openToolBench('stdio', {
      config: { gates: { test: 'true' } },
      scenario: {
        developer: [
          {
            do: [
              { write: { 'a.txt': 'a\n' } },
              { run: ['sh', '-c', forged.join('\n')] },
              { call: 'run_gate' },
              { call: 'run_gate' },
              { call: 'report_progress', with: { message: 'The last.' } },
              { call: 'report_progress', with: { message: 'One more.' } },
            ],
          },
        ],
        reviewer: [{ do: [{ call: 'set_loop_review_result', with: approval }] }],
      },
    })
    await bench.add('Ask for much')
    expect((await bench.umpire('work')).code).toBe(0)
    expect(callsOf(bench, 'developer')).toEqual([
      ['run_gate', false, expect.stringContaining('passed')],
      ['run_gate', true, expect.stringContaining('20 times')],
      ['report_progress', false, 'Noted.'],
      ['report_progress', true, expect.stringContaining('reached the limit of progress reports')],
    ])
    const noted = (await bench.events()).filter(({ type }) => type === 'session.noted')
    expect(noted.map(({ message }) => message)).toEqual([
      'The developer asked for gates: test passed',
      'Progress: The last.',
    ])
  })
})

describe('a developer that gives up', () => {
  test.each([
    ['by its tool', { call: 'fail_task', with: { reason: 'There is no\nkey for the API.' } }],
    ['by umpire submit', { submit: { fail: 'There is no\nkey for the API.' } }],
  ] as const)('%s leaves its work to a person, with the reason', async (_, act) => {
    const bench = openToolBench('http', {
      config: { develop: { until: 'claim' } },
      scenario: {
        developer: [
          { iteration: 1, do: [{ write: { 'half.txt': 'half\n' } }, act, { say: 'I stop here.' }] },
          { do: [{ write: { 'whole.txt': 'whole\n' } }, { call: 'complete_task' }] },
        ],
      },
    })
    await bench.add('Call the API')
    const ran = await bench.umpire('work', '--plain')
    expect(ran.code).toBe(3)
    expect(ran.stdout).toContain("The developer says that it can't do this: There is no key for the API.")
    const shown = await bench.show(1)
    expect(shown).toMatchObject({
      status: 'blocked',
      reason: 'needs_discussion',
      verdict: null,
      cycle: 0,
      recovery: [
        'umpire log 1 --role developer',
        'umpire improve 1 --note "…"',
        'umpire retry 1',
        'umpire edit 1 --verdict APPROVED',
      ],
    })
    expect(shown.sessions).toHaveLength(1)
    expect(bench.git('show', `${shown.branch}:half.txt`)).toBe('half')

    expect((await bench.umpire('retry', '1')).code).toBe(0)
    expect((await bench.umpire('work')).code).toBe(0)
    expect(await bench.show(1)).toMatchObject({ status: 'completed', verdict: 'APPROVED', iteration: 2 })
  })
})

describe('an unused tool', () => {
  test('is reported once when a reviewer gives its verdict in another way', async () => {
    const bench = openToolBench('stdio', {
      scenario: { reviewer: [{ do: [{ say: 'All fine.\n\n**Verdict: APPROVED**' }] }] },
    })
    await bench.add('Do it')
    const ran = await bench.umpire('work', '--plain')
    expect(ran.code).toBe(0)
    const text =
      'The reviewer (claude) did not call set_loop_review_result; the verdict was read from its answer (verdict-line).'
    expect(ran.stdout.split(text)).toHaveLength(2)
    expect((await bench.umpire('log', '1')).stdout).toContain(`· ${text}`)
    expect((await bench.events()).filter(({ type }) => type === 'session.noted')).toMatchObject([
      { message: text },
    ])
  })

  test('is reported with the reason when its server could not be started', async () => {
    const servers = [{ name: 'umpire', status: 'failed' }]
    const init = { type: 'system', subtype: 'init', session_id: 's', mcp_servers: servers }
    const bench = openToolBench('stdio', {
      scenario: {
        reviewer: [{ do: [{ say: JSON.stringify(init) }, { say: '**Verdict: APPROVED**' }] }],
      },
    })
    await bench.add('Do it')
    expect((await bench.umpire('work')).code).toBe(0)
    expect((await bench.umpire('log', '1')).stdout).toMatch(
      /^· The session's tools did not work for the reviewer \(claude: .*umpire.*\); the verdict was read/m,
    )
  })

  test('is neither offered nor reported when the tool channel is off', async () => {
    const bench = openToolBench('stdio', {
      config: { review: { channels: ['json', 'verdict-line'] } },
      scenario: { reviewer: [{ do: [{ list: 'tools' }, { say: '**Verdict: APPROVED**' }] }] },
    })
    await bench.add('Do it')
    expect((await bench.umpire('work')).code).toBe(0)
    const [offered] = bench.played().flatMap(({ tools }) => (tools ? [tools.map(({ name }) => name)] : []))
    expect(offered).toEqual(['report_progress', 'run_gate'])
    expect((await bench.events()).filter(({ type }) => type === 'session.noted')).toEqual([])
    expect((await bench.show(1)).sessions[1]?.prompt).not.toContain('set_loop_review_result')
  })
})

describe('a gate that an agent asks for', () => {
  const gate =
    'test ! -e "$BENCH/hold" || { : > "$BENCH/began"; while test -e "$BENCH/hold"; do sleep 0.05; done; }'
  const reviewer = [
    {
      do: [
        { touch: '$BENCH/hold' },
        { call: 'run_gate' },
        { call: 'set_loop_review_result', with: approval },
        { say: 'Done.' },
      ],
    },
  ]

  test('runs again in the worker that adopts the session of a killed one', async () => {
    const bench = openToolBench('stdio', { config: { gates: { slow: gate } }, scenario: { reviewer } })
    await bench.add('Wait for a gate')
    const first = bench.start('work')
    await fileAppears(join(bench.folder, 'began'))
    first.kill('SIGKILL')
    await first.ended
    rmSync(join(bench.folder, 'began'))
    const second = bench.start('work')
    await fileAppears(join(bench.folder, 'began'))
    rmSync(join(bench.folder, 'hold'))
    expect((await second.ended).code).toBe(0)
    expect(callsOf(bench, 'reviewer')).toEqual([
      ['run_gate', false, expect.stringContaining('Gate "slow" passed')],
      ['set_loop_review_result', false, expect.any(String)],
    ])
    expect(await bench.show(1)).toMatchObject({ verdict: 'APPROVED', sessions: [{}, { status: 'done' }] })
  })

  test('does not let a silent agent count as idle, and ends with it', async () => {
    const bench = openToolBench('stdio', {
      config: { gates: { slow: gate }, limits: { idle: '3s', review: '7s', agent_retries: 0 } },
      scenario: { reviewer },
    })
    await bench.add('Wait for ever')
    expect((await bench.umpire('work')).code).toBe(1)
    // It reached its own time limit, not the idle limit.
    expect(await bench.show(1)).toMatchObject({ status: 'failed', reason: 'timeout' })
    expect(existsSync(join(bench.folder, 'hold'))).toBe(true)
    expect(bench.git('worktree', 'list')).not.toContain('scratch')
  })
})
