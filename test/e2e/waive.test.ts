/** `umpire waive`: a person decides that an issue does not matter. It never blocks again, but that approves nothing. */
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import type * as library from '../../src/index.ts'
import { type Act, fileAppears, openBench } from '../support/umpire.ts'

const built = pathToFileURL(resolve(import.meta.dirname, '../../dist/index.js')).href
const { openUmpire }: typeof library = await import(built)

const tea = { file: 'work-1.txt', line: 1, type: 'bug', description: 'It says nothing of tea.' }
const milk = { file: 'work-1.txt', line: 1, type: 'bug', description: 'Nor of milk.' }
const wants = (...issues: object[]): Act => ({
  submit: { verdict: 'CHANGES_REQUESTED', summary: 'Nearly.', issues },
})

test('waive --issue --why: a waived issue never blocks again, the reviewer is told, and only a review approves', async () => {
  const bench = openBench({
    config: { max_cycles: 1 },
    scenario: { reviewer: [{ do: [wants(tea, milk)] }] },
  })
  await bench.add('Make tea')
  const stopped = await bench.umpire('work')
  expect(stopped.code).toBe(3)

  const one = await bench.umpire('waive', '1', '--issue', '1', '--why', 'It is a coffee shop')
  expect(one).toMatchObject({ code: 0, stderr: '' })
  expect(one.stdout).toContain('One blocking issue is left.')
  const other = await bench.umpire('waive', '1', '--issue', '#2', '--why', 'Black it is\u001b[31m')
  expect(other.stdout).toMatch(/^! 1\. implement Make tea {2}blocked {2}MAX_CYCLES_REACHED/)
  expect(other.stdout).toContain(
    'No blocking issue is left, but the work still needs a review.  next: umpire review 1',
  )

  for (const [flags, words] of [
    [['--issue', '1'], /Issue 1 of task 1 is already waived/],
    [['--issue', '7'], /Task 1 has no issue 7\.\numpire show 1 lists them\./],
  ] as const) {
    const refused = await bench.umpire('waive', '1', ...flags, '--why', 'Again')
    expect(refused.code).toBe(2)
    expect(refused.stderr).toMatch(words)
  }
  expect(await bench.show(1)).toMatchObject({
    ...{ status: 'blocked', reason: 'max_cycles', verdict: 'MAX_CYCLES_REACHED' },
    recovery: expect.arrayContaining(['umpire review 1']),
    issues: [
      { number: 1, status: 'waived', waived: { why: 'It is a coffee shop' } },
      { number: 2, status: 'waived' },
    ],
  })
  const page = (await bench.umpire('show', '1', '--all')).stdout
  expect(page).toContain('Issues (0 open, 0 resolved, 2 waived)')
  expect(page).toMatch(/1\. waived bug work-1\.txt:1 \(.*waived by \S+: It is a coffee shop\)/)
  expect(page).not.toContain('\u001b[31m')

  // A reviewer that insists on waived issues is asked once more, and then a person decides.
  expect((await bench.umpire('review', '1')).code).toBe(3)
  const asked = await bench.show(1)
  expect(asked).toMatchObject({ status: 'blocked', reason: 'needs_discussion', cycle: 2 })
  const prompts = asked.sessions.filter(({ role }) => role === 'reviewer').map(({ prompt }) => prompt)
  expect(prompts).toHaveLength(3)
  expect(prompts[1]).toContain('## Waived issues')
  expect(prompts[1]).toContain('It is a coffee shop')
  expect(prompts[2]).toContain('issues 1, 2 were waived by a person')

  bench.play({
    reviewer: [{ do: [{ submit: { verdict: 'APPROVED', issues: [{ ...tea, severity: 'blocking' }] } }] }],
  })
  expect((await bench.umpire('review', '1')).code).toBe(0)
  expect(await bench.show(1)).toMatchObject({ status: 'completed', verdict: 'APPROVED' })
  const moves = (await bench.events()).filter(
    ({ type }) => type === 'person.decided' || type === 'issue.waived',
  )
  expect(moves.map(({ type, message }) => `${type}: ${message.split(' ').slice(0, 3).join(' ')}`)).toContain(
    'issue.waived: Issue 1 waived',
  )
  expect(moves[0]?.data).toMatchObject({ move: 'waive', why: 'It is a coffee shop' })
})

test('does not give the developer an issue that was waived during a later review', async () => {
  const bench = openBench({
    config: { max_cycles: 3 },
    scenario: {
      reviewer: [
        { cycle: 1, do: [wants(tea)] },
        { cycle: 2, do: [{ touch: '$BENCH/reviewing' }, { await: '$BENCH/go' }, wants(tea, milk)] },
        { cycle: 3, do: [{ submit: { verdict: 'APPROVED' } }] },
      ],
    },
  })
  await bench.add('Make tea')
  const working = bench.start('work')
  await fileAppears(join(bench.folder, 'reviewing'))
  const umpire = await openUmpire({ cwd: bench.root, env: bench.env })
  expect(await umpire.waive(1, [1], 'It is a coffee shop')).toMatchObject({ status: 'in_progress' })
  await expect(umpire.waive(1, [2], 'Neither')).rejects.toThrow('Task 1 has no issue 2.')
  await umpire.close()
  writeFileSync(join(bench.folder, 'go'), '')
  expect((await working.ended).code).toBe(0)
  const { sessions, issues, verdict } = await bench.show(1)
  expect(verdict).toBe('APPROVED')
  expect(issues).toMatchObject([
    { number: 1, status: 'waived' },
    { number: 2, status: 'resolved' },
  ])
  const developers = sessions.filter(({ role }) => role === 'developer').map(({ prompt }) => prompt)
  expect(developers[1]).toContain(tea.description)
  expect(developers[2]).toContain(milk.description)
  expect(developers[2]).not.toContain(tea.description)
})
