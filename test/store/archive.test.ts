import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { EventData, NewEvent } from '../../src/core/event.ts'
import type { ReportedIssue, Review } from '../../src/core/review/review.ts'
import type { Archive, Message } from '../../src/store/archive.ts'
import { openStore } from '../../src/store/sqlite/open-store.ts'
import type { Store } from '../../src/store/store.ts'
import { usualPolicy, World } from '../core/world.ts'
import { taskAdded } from '../support/history.ts'

let folder: string
let store: Store
let archive: Archive
let clock: number

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'umpire-archive-'))
  clock = Date.parse('2026-01-01T00:00:00.000Z')
  const now = () => {
    clock += 1000
    return new Date(clock)
  }
  store = await openStore({ path: join(folder, 'umpire.db'), now })
  archive = store.archive
})
afterEach(async () => {
  await store.close()
  await rm(folder, { recursive: true, force: true })
})

/** Appends to a task's stream at its current version. */
async function happen(task: number, ...events: NewEvent[]): Promise<void> {
  const version = (await store.journal.load(`task/${task}`)).length
  await store.journal.append(`task/${task}`, version, ...events)
}

const claimed: NewEvent = { type: 'loop.claimed', data: { run: 4, worker: 'w', policy: usualPolicy } }
const completed: NewEvent = { type: 'loop.completed', data: { tree: 't', cycle: 0 } }

function sessionStarted(session: string, more: Partial<EventData['session.started']> = {}): NewEvent {
  const turn = { role: 'developer' as const, iteration: 2, cycle: 1, attempt: 3, reviewed: null }
  const given = { agent: 'claude', model: 'opus', prompt: 'Do it\0now \ud800', tokenHash: 'hash', limitMs: 1 }
  return { type: 'session.started', data: { session, ...turn, ...given, ...more } }
}

function sessionEnded(session: string, more: Partial<EventData['session.ended']> = {}): NewEvent {
  const said = { answer: '', claimed: false, messages: 5, agentSession: 'abc', refused: ['umpire merge'] }
  const spent = { exitCode: 0, costUsd: 0.25, tokens: 1200 }
  return { type: 'session.ended', data: { session, outcome: { kind: 'done' }, ...said, ...spent, ...more } }
}

describe('tasks', () => {
  it('are listed by number, without deleted ones, whose history stays', async () => {
    await happen(2, taskAdded({ title: 'Two' }))
    await happen(1, taskAdded({ title: 'One' }))
    await happen(3, taskAdded(), { type: 'task.deleted', data: { by: 'ada' } })
    expect((await archive.tasks()).map((task) => task.title)).toEqual(['One', 'Two'])
    expect((await archive.loop(3))?.standing.deleted).toBe(true)
    expect(await archive.loop(4)).toBeNull()
  })

  it('that are recent are all unfinished ones and the latest finished ones', async () => {
    for (const task of [1, 2, 3, 4, 5, 6]) await happen(task, taskAdded(), claimed)
    for (const task of [5, 1, 3, 2]) await happen(task, completed)
    const recent = async (count: number) => (await archive.tasks({ recent: count })).map((task) => task.id)
    expect(await recent(0)).toEqual([4, 6])
    expect(await recent(2)).toEqual([2, 3, 4, 6])
    expect(await recent(20)).toEqual([1, 2, 3, 4, 5, 6])
  })
})

describe('sessions', () => {
  it('show how they began and how they ended', async () => {
    await happen(1, taskAdded(), claimed, sessionStarted('1-1'))
    const running = await archive.session('1-1')
    expect(running).toMatchObject({
      task: 1,
      role: 'developer',
      iteration: 2,
      attempt: 3,
      status: 'running',
      outcome: null,
      endedAt: null,
      messages: 0,
    })
    expect(await archive.prompt('1-1')).toBe('Do it\0now \ud800')

    const outcome = { kind: 'failed' as const, class: 'rate_limited' as const, detail: 'wait', retryAt: null }
    await happen(1, sessionEnded('1-1', { outcome, exitCode: 7 }), sessionStarted('1-2'), sessionEnded('1-2'))
    expect(await archive.sessions(1)).toMatchObject([
      {
        id: '1-1',
        status: 'failed',
        outcome,
        exitCode: 7,
        costUsd: 0.25,
        messages: 5,
        refused: ['umpire merge'],
      },
      { id: '1-2', status: 'done', agentSession: 'abc', tokens: 1200 },
    ])
    expect(await archive.sessions(2)).toEqual([])
    expect(await archive.session('2-1')).toBeNull()
    expect(await archive.prompt('2-1')).toBeNull()
  })

  it('are over when they were lost, or when their loop was cancelled', async () => {
    await happen(1, taskAdded(), claimed, sessionStarted('1-1'))
    await happen(1, { type: 'session.lost', data: { session: '1-1', detail: 'gone' } }, sessionStarted('1-2'))
    await happen(1, { type: 'person.decided', data: { move: 'cancel', by: 'ada', why: null, verdict: null } })
    const sessions = await archive.sessions(1)
    expect(sessions.map(({ status, endedAt }) => [status, endedAt !== null])).toEqual([
      ['lost', true],
      ['interrupted', true],
    ])
  })
})

describe('reviews', () => {
  const issue = (description: string, more: Partial<ReportedIssue> = {}): ReportedIssue => ({
    id: null,
    file: 'src/a.ts',
    line: 3,
    section: null,
    type: 'bug',
    severity: 'blocking',
    description,
    suggestion: null,
    witness: ['npm', 'test'],
    status: null,
    ...more,
  })

  it('are stored as the reviewer wrote them, each issue with its number in the ledger', async () => {
    const first: Partial<Review> = {
      verdict: 'CHANGES_REQUESTED',
      summary: 'Not\0yet',
      interpretedIntent: 'A feature',
      intentSatisfied: false,
      scores: { clarity: 40 },
      // Here the reviewer's own ids are numbers that differ from those of the ledger.
      issues: [issue('It leaks.', { id: '2' }), issue('It is slow.', { id: '1' })],
    }
    const second: Partial<Review> = {
      verdict: 'CHANGES_REQUESTED',
      issues: [issue('It races.'), issue('it  LEAKS.'), issue('', { id: '9', status: 'resolved' })],
    }
    const world = new World({ maxCycles: 5 }).play({
      reviewer: [
        { does: 'judges', review: first },
        { does: 'judges', review: second },
      ],
    })
    await happen(7, ...world.events)
    const reviews = await archive.reviews(7)
    expect(reviews).toHaveLength(3)
    expect(reviews[0]).toMatchObject({
      kind: 'task',
      cycle: 1,
      attempt: 1,
      verdict: 'CHANGES_REQUESTED',
      passed: false,
      blocking: false,
      summary: 'Not\0yet',
      interpretedIntent: 'A feature',
      intentSatisfied: false,
      scores: { clarity: 40 },
    })
    expect(reviews[0]?.issues).toEqual([
      { ...issue('It leaks.', { id: '2' }), number: 1 },
      { ...issue('It is slow.', { id: '1' }), number: 2 },
    ])
    expect(reviews[1]?.issues.map(({ number }) => number)).toEqual([3, 1, null])
    expect(reviews[2]).toMatchObject({ verdict: 'APPROVED', passed: true, cycle: 3 })
    expect(await archive.reviews(8)).toEqual([])
  })
})

describe('gates', () => {
  const ran = (
    name: string,
    kind: EventData['gate.completed']['kind'],
    exitCode: number | null,
  ): NewEvent => {
    const how = { passed: exitCode === 0, exitCode, timedOut: exitCode === null, durationMs: 12 }
    return {
      type: 'gate.completed',
      data: { name, command: 'npm t', kind, tree: 't', output: 'o\0', ...how },
    }
  }

  const onBase = { name: 'mine', command: 'npm t', tree: 'b', output: '', passed: false, exitCode: 1 }
  const baseline: NewEvent = { type: 'gate.baseline', data: { ...onBase, timedOut: false, durationMs: 3 } }

  it('are listed in the order they ran, without the baseline on the base', async () => {
    await happen(1, taskAdded(), claimed, baseline, ran('test', 'gate', 0))
    await happen(1, ran('mine', 'backpressure', null), ran('commit', 'hook', 1))
    const gates = await archive.gates(1)
    expect(
      gates.map(({ name, kind, passed, exitCode, timedOut }) => [name, kind, passed, exitCode, timedOut]),
    ).toEqual([
      ['test', 'gate', true, 0, false],
      ['mine', 'backpressure', false, null, true],
      ['commit', 'hook', false, 1, false],
    ])
    expect(gates[0]).toMatchObject({ command: 'npm t', tree: 't', output: 'o\0', durationMs: 12 })
  })
})

describe('messages', () => {
  const line = (sequence: number, more: Partial<Message> = {}): Message => ({
    sequence,
    source: 'stdout',
    type: 'text',
    content: `line ${sequence}`,
    end: (sequence + 1) * 10,
    at: '2026-01-01T00:00:00.000Z',
    ...more,
  })
  const lines = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => line(from + index))

  it('are kept in order, whatever they contain', async () => {
    const odd = ['', '\0', 'a\0b', '\ud800', '\u2028', '😀'.repeat(1000), 'x'.repeat(1_100_000)]
    const given = odd.map((content, sequence) => line(sequence, { content }))
    await archive.addMessages('1-1', given)
    expect(await archive.messages('1-1')).toEqual(given)
    expect(await archive.messages('1-2')).toEqual([])
  })

  it('are read in pages', async () => {
    await archive.addMessages('1-1', lines(0, 30))
    expect(await archive.messages('1-1', 4, 10)).toEqual(lines(5, 15))
    expect(await archive.messages('1-1', 27)).toEqual(lines(28, 30))
  })

  it('do not change when the same ones are added again', async () => {
    await archive.addMessages('1-1', lines(0, 10))
    await archive.addMessages('1-1', [line(9, { content: 'another' }), ...lines(10, 12)])
    expect(await archive.messages('1-1')).toEqual(lines(0, 12))
  })

  it('show how far each output was stored', async () => {
    expect(await archive.messageEnd('1-1')).toEqual({ stdout: 0, stderr: 0, next: 0 })
    await archive.addMessages('1-1', [...lines(0, 3), line(3, { source: 'stderr', end: 7 })])
    expect(await archive.messageEnd('1-1')).toEqual({ stdout: 30, stderr: 7, next: 4 })
  })

  it('show which one is the latest of all outputs', async () => {
    expect(await archive.lastMessage('1-1')).toBe(null)
    await archive.addMessages('1-1', [...lines(0, 3), line(3, { source: 'stderr', content: 'a warning' })])
    await archive.addMessages('1-2', lines(0, 9))
    expect(await archive.lastMessage('1-1')).toMatchObject({ sequence: 3, content: 'a warning' })
  })

  it('are counted for a running session, and survive a rebuild of the projections', async () => {
    await happen(1, taskAdded(), claimed, sessionStarted('1-1'))
    await archive.addMessages('1-1', lines(0, 3))
    expect((await archive.session('1-1'))?.messages).toBe(3)
    await store.rebuild()
    expect((await archive.session('1-1'))?.messages).toBe(3)
    expect(await archive.messages('1-1')).toEqual(lines(0, 3))
  })
})

describe('runs', () => {
  it('have numbers of their own', async () => {
    await store.journal.append('run/1', 0, {
      type: 'run.started',
      data: { effort: 'high', parallel: 2, pid: 1 },
    })
    await store.journal.append('run/1', 1, { type: 'run.ended', data: { outcome: 'finished', worked: [1] } })
    expect(await store.journal.nextId('run')).toBe(2)
    expect(await store.journal.nextId('task')).toBe(1)
  })
})
