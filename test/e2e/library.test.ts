/** The library as used by a program that has only the package: the built index, real git, real processes. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, expect, test } from 'vitest'
import type * as library from '../../src/index.ts'
import { type Bench, fileAppears, openBench } from '../support/umpire.ts'

const built = pathToFileURL(resolve(import.meta.dirname, '../../dist/index.js')).href
const { openUmpire, UserError }: typeof library = await import(built)
const run = promisify(execFile)

const open: library.Umpire[] = []
afterEach(async () => {
  for (const umpire of open.splice(0)) await umpire.close()
})

async function openLibrary(bench: Bench, options: library.UmpireOptions = {}): Promise<library.Umpire> {
  const umpire = await openUmpire({ cwd: bench.root, env: bench.env, ...options })
  open.push(umpire)
  return umpire
}

const approval = { verdict: 'APPROVED', summary: 'Fine.' }
const scenario = {
  developer: [{ do: [{ write: { 'a.txt': 'a\n' } }, { say: 'Done.' }] }],
  reviewer: [{ do: [{ submit: approval }] }],
}

test('the example runs to its end', async () => {
  const program = resolve(import.meta.dirname, '../../examples/library/run.mjs')
  const { stdout } = await run(process.execPath, [program])
  expect(stdout).toContain('#1 is completed, APPROVED after 2 reviews')
  expect(stdout).toContain('loop.landed: Merged into main')
})

test('a program files a task, runs it, and sees every event once and in order', async () => {
  const bench = openBench({ scenario })
  const umpire = await openLibrary(bench)
  const stop = new AbortController()
  const seen: library.UmpireEvent[] = []
  const told = (async () => {
    for await (const event of umpire.events(0, stop.signal)) {
      seen.push(event)
      if (event.type === 'run.ended') stop.abort()
    }
  })()
  const id = await umpire.add({ title: 'Write a', accept: ['a.txt is there'] })
  const [task] = await umpire.run()
  await told
  expect(task).toMatchObject({ id, status: 'completed', verdict: 'APPROVED', cycle: 1 })
  expect(seen.map(({ seq }) => seq)).toEqual(seen.map((_, index) => index + 1))
  const approved = seen.find((event) => event.type === 'loop.approved')
  expect(approved?.type === 'loop.approved' && approved.data.by).toBe('review')
  expect(await umpire.tasks()).toMatchObject([{ id, title: 'Write a' }])
  const details = await umpire.task(id)
  expect(details.definition.accept).toEqual(['a.txt is there'])
  expect(details.sessions.map(({ role }) => role)).toEqual(['developer', 'reviewer'])
  expect(await bench.show(id)).toMatchObject({ status: 'completed' })
})

test('an abort ends the agents and keeps the state, and the next run continues', async () => {
  const bench = openBench({
    scenario: {
      ...scenario,
      developer: [
        { session: 1, do: [{ touch: '$BENCH/started' }, { await: '$BENCH/never' }] },
        ...scenario.developer,
      ],
    },
  })
  const umpire = await openLibrary(bench)
  const id = await umpire.add({ title: 'Write a' })
  const abort = new AbortController()
  const running = umpire.run({}, abort.signal)
  await fileAppears(join(bench.folder, 'started'))
  abort.abort()
  expect(await running).toMatchObject([{ id, status: 'pending' }])
  expect(await umpire.run()).toMatchObject([{ id, status: 'completed' }])
})

test('offers a person’s moves: improve with a note, review, set a verdict, retry, cancel', async () => {
  const bench = openBench({
    scenario: {
      developer: [
        { iteration: 1, do: [{ write: { 'a.txt': 'a\n' } }] },
        { iteration: 2, do: [{ echo: 'prompt' }, { write: { 'a.txt': 'b\n' } }] },
      ],
      reviewer: [
        { cycle: 1, do: [{ submit: { verdict: 'NEEDS_DISCUSSION', summary: 'Which letter?' } }] },
        { do: [{ submit: approval }] },
      ],
    },
  })
  const umpire = await openLibrary(bench)
  const id = await umpire.add({ title: 'Write a letter' })
  expect(await umpire.run()).toMatchObject([{ status: 'blocked', reason: 'needs_discussion' }])
  expect(await umpire.improve(id, 'Take b.')).toMatchObject({ status: 'awaiting_review' })
  expect((await bench.show(id)).sessions.at(-1)?.prompt).toContain('Take b.')
  expect(await umpire.review(id)).toMatchObject({ status: 'completed', verdict: 'APPROVED' })
  expect(await umpire.setVerdict(id, 'REJECTED', 'Not this one.')).toMatchObject({ reason: 'rejected' })
  expect(await umpire.retry(id)).toMatchObject({ status: 'pending' })
  expect(await umpire.cancel(id, 'Enough.')).toMatchObject({ status: 'cancelled' })
  const decided = (await bench.events()).filter(({ type }) => type === 'person.decided')
  expect(decided.map(({ data }) => data.move)).toEqual(['improve', 'review', 'verdict', 'retry', 'cancel'])
})

test('settings from the program override those of the files, by the same rules', async () => {
  const bench = openBench({ scenario, config: { gates: { test: 'false' } } })
  const wrong = await openLibrary(bench, { settings: { gates: { test: 7 }, rolls: {} } })
  await wrong.add({ title: 'Write a' })
  await expect(wrong.run()).rejects.toThrow(/\(given settings\):\d+: gates\.test: must be text/)
  const right = await openLibrary(bench, { settings: { gates: { test: 'test -f a.txt' } } })
  expect(await right.run()).toMatchObject([{ status: 'completed', verdict: 'APPROVED' }])
})

test('a task can name an agent that the program provides; an unknown agent is refused', async () => {
  const bench = openBench({ scenario })
  const fixed: library.Agent = {
    name: 'fixed',
    launch: ({ env }) => ({ argv: ['/bin/sh', '-c', 'echo b > b.txt; echo done'], env }),
    read: (line) => [{ type: 'text', text: line }],
  }
  const umpire = await openLibrary(bench, { agents: [fixed] })
  await expect(umpire.add({ title: 'Write b', agent: 'fixt' })).rejects.toThrow(UserError)
  await umpire.add({ title: 'Write b', agent: 'fixed' })
  const [task] = await umpire.run()
  expect(task).toMatchObject({ status: 'completed' })
  expect((await bench.show(1)).sessions[0]).toMatchObject({ agent: 'fixed' })
})

test('a channel from the program is explained to the reviewer and read, but can’t overrule the others', async () => {
  const says = (answer: string) => ({ ...scenario, reviewer: [{ do: [{ say: answer }] }] })
  const bench = openBench({ scenario: says('Splendid.\n\nTHUMBS UP'), config: { review: { retries: 0 } } })
  const thumbs: library.Channel = {
    name: 'thumbs',
    instruction: 'End with a line: THUMBS and then UP or DOWN.',
    read: ({ answer }) =>
      answer.includes('THUMBS UP') ? { kind: 'review', review: approvingReview } : { kind: 'silent' },
  }
  const umpire = await openLibrary(bench, { channels: [thumbs] })
  await umpire.add({ title: 'Write a' })
  expect(await umpire.run()).toMatchObject([{ status: 'completed', verdict: 'APPROVED' }])
  expect((await bench.show(1)).sessions[1]?.prompt).toContain('THUMBS and then UP or DOWN')

  bench.play(says('THUMBS UP\n\nVerdict: REJECTED'))
  await umpire.add({ title: 'Write it again' })
  expect(await umpire.run()).toMatchObject([{ status: 'blocked', reason: 'malformed_review' }])
})

test('throws an error that says what is wrong', async () => {
  const bench = openBench({ scenario })
  const umpire = await openLibrary(bench)
  await expect(umpire.task(7)).rejects.toMatchObject({ name: 'UserError', message: 'There is no task 7.' })
  await expect(umpire.add({ title: ' ' })).rejects.toMatchObject({ message: 'The title is empty.' })
  await expect(umpire.merge(7)).rejects.toThrow('There is no task 7.')
  const outside = openUmpire({ cwd: bench.folder })
  await expect(outside).rejects.toThrow(/repository/)
  expect(existsSync(join(bench.folder, '.umpire'))).toBe(false)
})

const approvingReview: library.Review = {
  verdict: 'APPROVED',
  summary: 'Splendid.',
  interpretedIntent: null,
  intentSatisfied: null,
  scores: {},
  blocking: false,
  issues: [],
}
