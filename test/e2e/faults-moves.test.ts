/**
 * Agents that use commands reserved for a person or another agent. Umpire refuses with exit code 2 and a message, and
 * nothing changes.
 */
import { expect, test } from 'vitest'
import { type Act, openBench, type Played } from '../support/umpire.ts'

const approval = { verdict: 'APPROVED', passed: true, issues: [] }
const rejection = { verdict: 'CHANGES_REQUESTED', summary: 'No.', issues: ['It does nothing.'] }
const submits = (review: object) => `printf '%s' '${JSON.stringify(review)}' | umpire submit -`
const shell = (script: string): Act => ({ run: ['sh', '-c', script] })

const calls = (played: Played[]) => played.filter(({ argv }) => argv !== undefined)

test('refuses a developer every command of a person and of its reviewer', async () => {
  const moves = [
    ['edit', '1', '--verdict', 'APPROVED'],
    ['retry', '1'],
    ['work'],
    ['add', 'More work for me'],
    ['cancel', '1'],
    ['delete', '1'],
  ]
  const bench = openBench({
    scenario: {
      developer: [
        {
          do: [
            // Umpire reads its settings where it was started, not where the developer can write.
            { write: { 'umpire.yaml': 'review: { enabled: false }\n' } },
            ...moves.map((move): Act => ({ run: ['umpire', ...move] })),
            shell('env -u UMPIRE_SESSION -u UMPIRE_TOKEN umpire edit 1 --verdict APPROVED'),
            shell(
              'cd "$BENCH/checkout" && env -i PATH="$PATH" HOME="$HOME" umpire edit 1 --verdict APPROVED',
            ),
            shell('cd "$BENCH/checkout" && UMPIRE_SESSION= umpire edit 1 --verdict APPROVED'),
            shell('UMPIRE_SESSION=1-7 UMPIRE_HOME=/nowhere umpire retry 1'),
            { submit: approval },
            { submit: { complete: true, ...approval } },
            { run: ['umpire', 'status', '--json'] },
            shell('umpire verdict < /dev/null'),
          ],
        },
      ],
      reviewer: [{ do: [{ submit: rejection }, { run: ['umpire', 'edit', '1', '--verdict', 'APPROVED'] }] }],
    },
  })
  await bench.add('Approve yourself', '--max-cycles', '1')
  expect((await bench.umpire('work')).code).toBe(3)

  const made = calls(bench.played())
  const refused = made.filter(({ code }) => code === 2)
  expect(refused).toHaveLength(moves.length + 4 + 2 + 1)
  for (const { stderr } of refused) expect(stderr).toMatch(/^umpire: .*\n.*\n$/)
  for (const { stderr } of refused.slice(0, 10))
    expect(stderr).toContain('refused inside an agent session (1-1)')
  expect(refused[10]?.stderr).toContain('This is a developer’s session.')
  // Commands that an agent may use still work.
  expect(made.filter(({ code }) => code !== 2).map(({ code, role }) => [role, code])).toEqual([
    ['developer', 0],
    ['developer', 4],
    ['reviewer', 0],
  ])

  const shown = await bench.show(1)
  expect(shown).toMatchObject({ status: 'blocked', verdict: 'MAX_CYCLES_REACHED', cycle: 1 })
  expect(shown.sessions[0]?.refused).toHaveLength(12)
  expect(shown.sessions[0]?.refused).toContain('umpire edit')
  expect(shown.sessions[1]?.refused).toEqual(['umpire edit'])
  const page = (await bench.umpire('show', '1', '--all')).stdout
  expect(page).toContain('Commands refused to agents')
  expect(page).toMatch(/1-1: umpire submit: This is a developer’s session/)
  expect(
    (await bench.events()).filter(({ type }) => type === 'person.decided' || type === 'task.added'),
  ).toHaveLength(1)
})

test("refuses another session's token, whether that session is running or has ended", async () => {
  const tells = (name: string): Act =>
    shell(`printf 'UMPIRE_SESSION=%s UMPIRE_TOKEN=%s\\n' $UMPIRE_SESSION $UMPIRE_TOKEN > "$BENCH/${name}"`)
  const uses = (name: string) => shell(`export $(cat "$BENCH/${name}"); ${submits(approval)}`)
  const guesses = shell(`UMPIRE_TOKEN=guessed; export UMPIRE_TOKEN; ${submits(approval)}`)
  const bench = openBench({
    scenario: {
      developer: [
        {
          task: 'thief',
          cycle: 1,
          do: [
            { write: { 'a.txt': 'a\n' } },
            { await: '$BENCH/victim' },
            uses('victim'),
            { touch: '$BENCH/stolen' },
          ],
        },
        { task: 'thief', cycle: 2, do: [{ write: { 'a.txt': 'b\n' } }, uses('earlier')] },
      ],
      reviewer: [
        {
          task: 'victim',
          do: [
            tells('victim.new'),
            shell('mv "$BENCH/victim.new" "$BENCH/victim"'),
            { await: '$BENCH/stolen' },
            { say: 'FEEDBACK: not yet' },
          ],
        },
        { task: 'thief', cycle: 1, do: [tells('earlier'), { submit: rejection }] },
        { task: 'thief', cycle: 2, do: [uses('earlier'), guesses, { say: 'FEEDBACK: not yet' }] },
      ],
    },
    config: { parallel: 2 },
  })
  const victim = await bench.add('victim', '--max-cycles', '1')
  const thief = await bench.add('thief', '--max-cycles', '2')
  expect((await bench.umpire('work')).code).toBe(3)

  const refused = calls(bench.played()).filter(({ code }) => code !== 0)
  expect(refused.map(({ session, code }) => [session, code])).toEqual([
    [`${thief}-1`, 2],
    [`${thief}-3`, 2],
    [`${thief}-4`, 2],
    [`${thief}-4`, 2],
  ])
  expect(refused[0]?.stderr).toContain(`belongs to session ${thief}-1, not to ${victim}-2`)
  expect(refused[3]?.stderr).toContain('The token does not belong to session')
  for (const [id, cycle] of [
    [victim, 1],
    [thief, 2],
  ] as const) {
    const shown = await bench.show(id)
    expect(shown).toMatchObject({ status: 'blocked', verdict: 'MAX_CYCLES_REACHED', cycle })
    expect(shown.reviews.every(({ passed }) => !passed)).toBe(true)
  }
  const { sessions } = await bench.show(thief)
  expect(sessions.map(({ refused }) => refused.length)).toEqual([1, 0, 1, 2])
  // The session whose token was stolen did nothing wrong.
  expect((await bench.show(victim)).sessions.map(({ refused }) => refused)).toEqual([[], []])
})

test('treats two different reviews from one reviewer as unreadable, in either order', async () => {
  const contradiction = { ...approval, issues: [{ severity: 'blocking', description: 'It leaks.' }] }
  const again: Act = { submit: { ...approval, summary: 'Again.' } }
  const bench = openBench({
    scenario: {
      reviewer: [
        {
          task: 'no, then yes',
          do: [
            { submit: contradiction },
            { run: ['umpire', 'submit', '-'], stdin: 'no JSON' },
            { submit: rejection },
            { submit: approval },
          ],
        },
        { task: 'yes, then no', do: [{ submit: approval }, { submit: rejection }] },
        { task: 'yes, then what', do: [{ submit: approval }, { submit: contradiction }] },
        {
          task: 'yes, then much',
          do: [
            { submit: approval },
            ...[1, 2, 3, 4, 5].map((n): Act => ({ submit: { ...approval, summary: `${n}` } })),
            { submit: rejection },
          ],
        },
        { task: 'both ways', do: [{ submit: approval }, { say: '**Verdict: REJECTED**' }] },
        { task: 'yes, and yes', do: [{ submit: approval }, { submit: approval }, again] },
      ],
    },
    config: { review: { retries: 0 } },
  })
  const unclear = ['no, then yes', 'yes, then no', 'yes, then what', 'yes, then much', 'both ways']
  const ids: number[] = []
  for (const title of unclear) ids.push(await bench.add(title))
  const clear = await bench.add('yes, and yes')
  expect((await bench.umpire('work')).code).toBe(3)
  const made = (task: number | undefined) => calls(bench.played()).filter((call) => call.task === task)
  expect(made(ids[0]).map(({ code }) => code)).toEqual([2, 2, 0, 2])
  expect(made(ids[0])[0]?.stderr).toMatch(/blocking/)
  for (const id of ids.slice(0, 4)) {
    expect(made(id).at(-1)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('has already handed in'),
    })
    expect(made(id).at(-1)?.stderr).toContain('Two different reviews make the verdict unreadable')
  }
  for (const id of ids)
    expect(await bench.show(id)).toMatchObject({ status: 'blocked', reason: 'malformed_review', reviews: [] })
  // Repeating the same review, even in other words, is no contradiction.
  expect(made(clear).map(({ code }) => code)).toEqual([0, 2, 2])
  expect(await bench.show(clear)).toMatchObject({ status: 'completed', verdict: 'APPROVED' })
  expect((await bench.umpire('submit', '-')).code).toBe(2)
})
