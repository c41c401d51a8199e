/** `umpire improve` runs one developer session now, with the last review, a file, or a note from the person. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Act, type Bench, openBench, type Shown } from '../support/umpire.ts'

const turns = ({ sessions }: Shown) => sessions.map(({ role, cycle, status }) => `${role} ${cycle} ${status}`)

const lastPrompt = async (bench: Bench) => (await bench.show(1)).sessions.at(-1)?.prompt

const subjects = (bench: Bench, { branch }: Shown) =>
  bench.git('log', '--format=%s', `main..${branch}`).split('\n')

const never: Act = {
  submit: {
    verdict: 'CHANGES_REQUESTED',
    summary: 'Never good enough.',
    issues: [{ description: 'It wants more salt.' }],
  },
}

test('after MAX_CYCLES_REACHED a person continues by hand, and each improvement grants one more review', async () => {
  const bench = openBench({ config: { max_cycles: 2 }, scenario: { reviewer: [{ do: [never] }] } })
  await bench.add('Never enough')
  expect((await bench.umpire('work')).code).toBe(3)
  const stopped = await bench.show(1)
  expect(stopped).toMatchObject({
    ...{ status: 'blocked', reason: 'max_cycles', verdict: 'MAX_CYCLES_REACHED', cycle: 2, maxCycles: 2 },
    recovery: expect.arrayContaining(['umpire improve 1']),
  })

  const improved = await bench.umpire('improve', '1')
  expect(improved).toMatchObject({ code: 3, stderr: '' })
  expect(await bench.show(1)).toMatchObject({
    ...{ status: 'awaiting_review', reason: null, verdict: 'CHANGES_REQUESTED' },
    ...{ cycle: 2, maxCycles: 3, iteration: 3, revisionAttempts: 2 },
  })
  expect(await lastPrompt(bench)).toContain('It wants more salt.')

  // `umpire review` would grant a review, too, but this one was granted already.
  expect((await bench.umpire('review', '1')).code).toBe(3)
  expect(await bench.show(1)).toMatchObject({
    ...{ status: 'blocked', reason: 'changes_requested', verdict: 'CHANGES_REQUESTED' },
    ...{ cycle: 3, maxCycles: 3 },
  })
  // After an improvement, `retry` lets the loop continue by itself with the review that the person granted.
  expect((await bench.umpire('improve', '1')).code).toBe(3)
  bench.play({})
  await bench.umpire('retry', '1')
  expect((await bench.umpire('work')).code).toBe(0)
  const shown = await bench.show(1)
  expect(shown).toMatchObject({ status: 'completed', verdict: 'APPROVED', cycle: 4, maxCycles: 4 })
  expect(turns(shown)).toEqual([
    ...['developer 1 done', 'reviewer 1 done', 'developer 2 done', 'reviewer 2 done'],
    ...['developer 3 done', 'reviewer 3 done', 'developer 4 done', 'reviewer 4 done'],
  ])
  expect(subjects(bench, shown)).toEqual([
    'Address review feedback (cycle 3)',
    'Address review feedback (cycle 2)',
    'Address review feedback (cycle 1)',
    'Never enough',
  ])
  expect(await bench.umpire('doctor', '--deep')).toMatchObject({ code: 0, stderr: '' })
})

test('refuses an improvement without instructions, and changes nothing', async () => {
  const bench = openBench()
  await bench.add('Say what', '--no-review')
  await bench.umpire('work')
  writeFileSync(join(bench.folder, 'blank.md'), ' \n')
  writeFileSync(join(bench.folder, 'binary.md'), 'a\0b')
  const before = await bench.events()
  const refusals: [string[], string][] = [
    [[], 'Task 1 has no review to improve from.\numpire review 1 asks for one. Or say what to do: '],
    [['--review'], 'Task 1 has no review yet.\numpire review 1 reviews it.'],
    [['--note', ''], 'The note is empty.\nSay what the developer should do.'],
    [['--note', ' \n'], 'The note is empty.'],
    [['--review', 'nowhere.md'], "nowhere.md can't be read (ENOENT).\nGive a file that exists"],
    [['--review', '.'], ". can't be read (EISDIR)."],
    [['--review', '../blank.md'], '../blank.md is empty.\nGive a file that says what to change.'],
    [['--review', '../binary.md'], '../binary.md contains a NUL character.\nGive a text file.'],
  ]
  for (const [args, words] of refusals) {
    const said = await bench.umpire('improve', '1', ...args)
    expect(said).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(`umpire: ${words}`) })
  }
  expect(await bench.events()).toEqual(before)
})

test('improve --note and improve --review give the developer a note, a file, or the last review', async () => {
  const bench = openBench({ scenario: { reviewer: [{ do: [never] }] } })
  await bench.add('Say what', '--no-review')
  await bench.umpire('work')
  writeFileSync(join(bench.folder, 'mine.md'), 'FROM A FILE: the lid is missing\n')

  expect((await bench.umpire('improve', '1', '--note', 'IN MY WORDS: a spoon, too')).code).toBe(3)
  expect(await lastPrompt(bench)).toContain('IN MY WORDS: a spoon, too')
  // The path is relative to the current folder, here a subfolder. `-` reads standard input.
  bench.write({ 'sub/.keep': '' })
  const below = { cwd: join(bench.root, 'sub') }
  expect((await bench.call(['improve', '1', '--review', '../../mine.md'], below)).code).toBe(3)
  const fromFile = await lastPrompt(bench)
  expect(fromFile).toContain('FROM A FILE: the lid is missing')
  expect(fromFile).not.toContain('IN MY WORDS')
  const piped = { stdin: 'FROM A PIPE: no handle' }
  const both = await bench.call(['improve', '1', '--review', '-', '--note', 'AND SO I SAY'], piped)
  expect(both.code).toBe(3)
  const fromBoth = await lastPrompt(bench)
  for (const words of ['FROM A PIPE: no handle', 'AND SO I SAY']) expect(fromBoth).toContain(words)

  expect((await bench.umpire('review', '1')).code).toBe(3)
  expect((await bench.umpire('improve', '1', '--review')).code).toBe(3)
  const shown = await bench.show(1)
  const fromReview = shown.sessions.at(-1)?.prompt
  for (const words of ['Review 1 requests changes', 'Never good enough.', 'It wants more salt.'])
    expect(fromReview).toContain(words)
  expect(fromReview).not.toContain('FROM A')

  expect(shown).toMatchObject({ status: 'awaiting_review', cycle: 1, iteration: 5 })
  expect(subjects(bench, shown)).toEqual([
    ...['Address review feedback (cycle 1)', 'Address review feedback', 'Address review feedback'],
    ...['Address a note', 'Say what'],
  ])
  const decided = (await bench.events()).filter(({ type }) => type === 'person.decided')
  expect(decided.map(({ data }) => data.why)).toEqual([
    ...['IN MY WORDS: a spoon, too', null, 'AND SO I SAY', null, null],
  ])
})

test('after NEEDS_DISCUSSION the developer gets the reviewer’s question and the person’s answer', async () => {
  const bench = openBench({
    scenario: {
      reviewer: [{ cycle: 1, do: [{ submit: { verdict: 'NEEDS_DISCUSSION', summary: 'Left or right?' } }] }],
    },
  })
  await bench.add('Choose a side')
  expect((await bench.umpire('work')).code).toBe(3)
  expect(await bench.show(1)).toMatchObject({
    reason: 'needs_discussion',
    recovery: expect.arrayContaining(['umpire improve 1 --note "…"']),
  })
  expect((await bench.umpire('improve', '1', '--note', 'Left, as ever')).code).toBe(3)
  const prompt = await lastPrompt(bench)
  expect(prompt).toContain('Left or right?')
  expect(prompt).toContain('Left, as ever')
  expect(await bench.show(1)).toMatchObject({
    status: 'awaiting_review',
    reason: null,
    verdict: null,
    cycle: 1,
  })
  expect((await bench.umpire('review', '1')).code).toBe(0)
  expect(await bench.show(1)).toMatchObject({ status: 'completed', verdict: 'APPROVED', cycle: 2 })
})

test('a person can send approved work back with a note, which withdraws the approval', async () => {
  const bench = openBench()
  await bench.add('Approved')
  expect((await bench.umpire('work')).code).toBe(0)
  const nothing = await bench.umpire('improve', '1', '--review')
  expect(nothing).toMatchObject({ code: 2, stderr: expect.stringContaining('has no review to improve from') })
  expect((await bench.umpire('improve', '1', '--note', 'And milk')).code).toBe(3)
  expect(await bench.show(1)).toMatchObject({
    ...{ status: 'awaiting_review', verdict: null, reviewStatus: 'pending', cycle: 1, iteration: 2 },
  })
  expect((await bench.umpire('review', '1')).code).toBe(0)
})

test('says when an improvement by hand changes nothing, and the person can still request a review', async () => {
  const bench = openBench({
    scenario: { developer: [{ iteration: 2, do: [] }], reviewer: [{ cycle: 1, do: [never] }] },
  })
  await bench.add('Stubborn', '--no-review')
  await bench.umpire('work')
  await bench.umpire('review', '1')
  expect((await bench.umpire('improve', '1')).code).toBe(3)
  expect(await bench.show(1)).toMatchObject({
    ...{ status: 'blocked', reason: 'stalled', verdict: 'CHANGES_REQUESTED', cycle: 1 },
    detail: expect.stringMatching(/^The revision after review 1 changed nothing\. Issues by review: /),
  })
  expect((await bench.umpire('review', '1')).code).toBe(0)
  expect(await bench.show(1)).toMatchObject({ status: 'completed', verdict: 'APPROVED', cycle: 2 })
})

test('an improvement by hand tells the developer which gate stopped the loop', async () => {
  const bench = openBench({
    config: { gates: { test: 'test -f fixed.txt || { echo NO FIX; exit 1; }' }, max_gate_failures: 1 },
    scenario: { developer: [{ iteration: 2, do: [{ write: { 'fixed.txt': '' } }] }] },
  })
  await bench.add('Broken')
  expect((await bench.umpire('work')).code).toBe(3)
  expect((await bench.umpire('improve', '1', '--note', 'Just add the file')).code).toBe(3)
  const prompt = await lastPrompt(bench)
  for (const words of ['A gate failed', 'NO FIX', 'Just add the file']) expect(prompt).toContain(words)
  const shown = await bench.show(1)
  expect(shown).toMatchObject({ status: 'awaiting_review', cycle: 0 })
  expect(subjects(bench, shown)).toEqual(['Fix failing gate test', 'Broken'])
  expect((await bench.umpire('review', '1')).code).toBe(0)
  expect((await bench.show(1)).gates.at(-1)).toMatchObject({ name: 'test', passed: true })
})
