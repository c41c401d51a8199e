/** Each notification is sent once, despite crashes, failures and other processes, and never in quiet hours. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { NewEvent, Stream } from '../../src/core/event.ts'
import { parseQuietHours, type QuietHours } from '../../src/core/policy/quiet-hours.ts'
import { type Announcer, type AnnouncerOptions, openAnnouncer } from '../../src/notify/announcer.ts'
import { type Delivery, failed, type Notification, type Notifier } from '../../src/notify/notifier.ts'
import { usualPolicy } from '../core/world.ts'
import { open, type Place } from '../fixtures/notify/outbox.ts'
import { taskAdded } from '../support/history.ts'
import { endPrograms, removeBundles, startProgram } from '../support/program.ts'
import { until } from '../support/umpire.ts'

const adapter = resolve(import.meta.dirname, '../fixtures/notify/outbox.ts')

let folder: string
let now: Date
const opened: Place[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'umpire-announcer-'))
  now = new Date(2026, 0, 15, 12)
})
afterEach(async () => {
  await endPrograms()
  for (const { store, outbox } of opened.splice(0)) {
    outbox.close()
    await store.close()
  }
  await rm(folder, { recursive: true, force: true })
})
afterAll(removeBundles)

/** Records what it should send and gives the answers in order. The last answer repeats. */
function recorder(...answers: (Delivery | 'hang')[]) {
  const sent: Notification[] = []
  const notifier: Notifier = {
    name: 'test',
    async send(notification, signal) {
      const answer = answers[Math.min(sent.length, answers.length - 1)] ?? { kind: 'delivered' }
      sent.push(notification)
      if (answer !== 'hang') return answer
      await new Promise((done) => signal.addEventListener('abort', done, { once: true }))
      return failed('it hung', 'later')
    },
  }
  return { sent, notifier, titles: () => sent.map(({ title }) => title) }
}

interface Run extends Place {
  announcer: Announcer
  warned: string[]
  append(stream: Stream, ...events: NewEvent[]): Promise<void>
  /** Appends without telling the announcer, like a process that is killed at that moment. */
  appendUnseen(stream: Stream, ...events: NewEvent[]): Promise<void>
}

async function run(
  channels: Partial<AnnouncerOptions['channels'][number]>[],
  delaysMs: number[] = [0, 0],
): Promise<Run> {
  const place = await open(folder, () => now)
  opened.push(place)
  const { journal, archive } = place.store
  const warned: string[] = []
  const announcer = openAnnouncer({
    channels: channels.map((channel) => ({
      ...{ key: 'test', quiet: null, notifier: recorder().notifier },
      ...channel,
    })),
    ...{ outbox: place.outbox, journal, archive, repository: 'example', end: await journal.lastSeq() },
    ...{ now: () => now, warn: (text: string) => void warned.push(text), delaysMs },
  })
  async function store(stream: Stream, ...events: NewEvent[]) {
    const version = (await journal.load(stream)).at(-1)?.version ?? 0
    return journal.append(stream, version, ...events)
  }
  return {
    ...place,
    announcer,
    warned,
    append: async (stream, ...events) => announcer.observe(await store(stream, ...events)),
    appendUnseen: async (stream, ...events) => void (await store(stream, ...events)),
  }
}

const claimed: NewEvent = { type: 'loop.claimed', data: { run: 1, worker: 'w', policy: usualPolicy } }

function blocked(task: number): NewEvent {
  const recovery = [`umpire reviews ${task}`, `umpire retry ${task}`]
  return {
    type: 'loop.blocked',
    data: {
      reason: 'max_cycles',
      detail: 'Three reviews.',
      recovery,
      verdict: 'MAX_CYCLES_REACHED',
      cycle: 3,
    },
  }
}

const ended = (...worked: number[]): NewEvent => ({
  type: 'run.ended',
  data: { outcome: 'finished', worked },
})
const started: NewEvent = { type: 'run.started', data: { effort: null, parallel: 1, pid: 1 } }

/** A task that was started and then needed a person. */
async function stopTask({ append }: Pick<Run, 'append'>, task: number): Promise<void> {
  await append(`task/${task}`, taskAdded({ title: `Task ${task}` }), claimed, blocked(task))
}

const quiet: QuietHours | null = parseQuietHours('22:00-07:00')
const atHour = (hour: number, day = 15) => new Date(2026, 0, day, hour)

describe('a notification', () => {
  it('is sent for each task that needs a person, and for the end of the run', async () => {
    const { sent, notifier } = recorder()
    const here = await run([{ notifier }])
    await here.append('run/1', started)
    await stopTask(here, 1)
    await here.append('task/2', taskAdded({ title: 'Fails' }), claimed, {
      type: 'loop.failed',
      data: {
        reason: 'auth',
        detail: 'Not logged in.',
        recovery: ['umpire log 2', 'umpire retry 2'],
        cycle: 0,
      },
    })
    await here.append('task/3', taskAdded({ title: 'Waits' }), claimed, {
      type: 'loop.awaiting_review',
      data: { tree: 'tree', recovery: ['umpire review 3'], cycle: 0 },
    })
    await here.append('run/1', ended(1, 2, 3))
    await here.announcer.close(60_000)
    expect(sent).toMatchObject([
      {
        event: 'loop.blocked',
        task: 1,
        reason: 'max_cycles',
        title: 'example: task 1 needs you: Task 1',
        message: 'Three reviews.',
        next: ['umpire reviews 1', 'umpire retry 1'],
      },
      { event: 'loop.failed', task: 2, reason: 'auth', title: 'example: task 2 failed: Fails' },
      { event: 'loop.awaiting_review', task: 3, title: 'example: task 3 waits for a review: Waits' },
      {
        event: 'run.ended',
        task: null,
        title: 'example: run 1 ended: 2 need you, 1 failed',
        next: ['umpire status'],
      },
    ])
    expect(sent.at(-1)?.message.split('\n')).toEqual([
      '1. Task 1: blocked (MAX_CYCLES_REACHED)',
      '2. Fails: failed (auth)',
      '3. Waits: awaiting_review',
    ])
    expect(here.warned).toEqual([])
  })

  it('is not sent for a run that did nothing or was interrupted', async () => {
    const { sent, notifier } = recorder()
    const here = await run([{ notifier }])
    await here.append('task/1', taskAdded())
    await here.append('run/1', started, ended())
    await here.append('run/2', started, { type: 'run.ended', data: { outcome: 'interrupted', worked: [1] } })
    await here.announcer.close(60_000)
    expect(sent).toEqual([])
  })

  it('is not sent for what a person did, because they know', async () => {
    const { sent, notifier } = recorder()
    const here = await run([{ notifier }])
    await stopTask(here, 1)
    const verdict: NewEvent = {
      type: 'person.decided',
      data: { move: 'verdict', by: 'ada', why: null, verdict: 'REJECTED' },
    }
    await here.append('task/1', verdict, blocked(1))
    await here.announcer.close(60_000)
    expect(sent.map(({ id }) => id)).toEqual(['example-3'])
  })

  it('is sent on every channel', async () => {
    const [one, other] = [recorder(), recorder()]
    const here = await run([
      { key: 'one', notifier: one.notifier },
      { key: 'other', notifier: other.notifier },
    ])
    await stopTask(here, 1)
    await here.announcer.close(60_000)
    expect([one.titles(), other.titles()]).toEqual([
      ['example: task 1 needs you: Task 1'],
      ['example: task 1 needs you: Task 1'],
    ])
  })

  it('is sent only for events after the channel was first configured', async () => {
    const before = await run([])
    await before.appendUnseen('task/1', taskAdded(), claimed, blocked(1))
    const { titles, notifier } = recorder()
    const here = await run([{ notifier }])
    here.announcer.begin()
    await stopTask(here, 2)
    await here.announcer.close(60_000)
    expect(titles()).toEqual(['example: task 2 needs you: Task 2'])
  })
})

it('a new channel does not get what an older one still has to send', async () => {
  const before = await run([{ key: 'old' }])
  before.announcer.begin()
  await before.announcer.close(60_000)
  await before.appendUnseen('task/1', taskAdded(), claimed, blocked(1))
  const [older, newer] = [recorder(), recorder()]
  const here = await run([
    { key: 'old', notifier: older.notifier },
    { key: 'new', notifier: newer.notifier },
  ])
  here.announcer.begin()
  await here.announcer.close(60_000)
  expect([older.sent.length, newer.sent.length]).toEqual([1, 0])
})

describe('a notification is sent once', () => {
  it('when the next run reads the same journal', async () => {
    const [first, second] = [recorder(), recorder()]
    const here = await run([{ notifier: first.notifier }])
    await stopTask(here, 1)
    await here.announcer.close(60_000)
    const later = await run([{ notifier: second.notifier }])
    await stopTask(later, 2)
    await later.announcer.close(60_000)
    expect(first.titles()).toHaveLength(1)
    expect(second.titles()).toEqual(['example: task 2 needs you: Task 2'])
  })

  it('by the next run, if its event was appended right before a crash', async () => {
    const here = await run([{}])
    here.announcer.begin()
    await here.announcer.close(60_000)
    await here.appendUnseen('task/1', taskAdded({ title: 'Unseen' }), claimed, blocked(1))
    const { titles, notifier } = recorder()
    const later = await run([{ notifier }])
    later.announcer.begin()
    await later.announcer.close(60_000)
    expect(titles()).toEqual(['example: task 1 needs you: Unseen'])
  })

  it('when the sender is killed while sending, because it may have arrived', async () => {
    now = new Date()
    const here = await run([{}])
    await here.appendUnseen('task/1', taskAdded({ title: 'One' }), claimed, blocked(1))
    await here.appendUnseen('task/2', taskAdded({ title: 'Two' }), claimed, blocked(2))
    const program = await startProgram({ fixture: 'notify/teller.ts', adapter, args: [folder, 'hang'] })
    expect(await program.next()).toBe('ready')
    program.send('go')
    expect(await program.next()).toBe('sending example-3')
    program.kill('SIGKILL')
    await program.exited
    const { titles, notifier } = recorder()
    const later = await run([{ notifier }])
    later.announcer.begin()
    await later.announcer.close(60_000)
    expect(titles()).toEqual(['example: task 2 needs you: Two'])
    const { outbox } = await open(folder)
    expect(await outbox.undelivered()).toEqual([
      { channel: 'test', count: 1, error: 'Umpire was killed while sending it' },
    ])
    outbox.close()
  })

  it('when several processes send at the same time', async () => {
    now = new Date()
    const here = await run([{}])
    const tasks = Array.from({ length: 25 }, (_, index) => index + 1)
    for (const task of tasks) await here.appendUnseen(`task/${task}`, taskAdded(), claimed, blocked(task))
    const programs = await Promise.all(
      [1, 2, 3].map(() => startProgram({ fixture: 'notify/teller.ts', adapter, args: [folder] })),
    )
    for (const program of programs) expect(await program.next()).toBe('ready')
    for (const program of programs) program.send('go')
    const said = (await Promise.all(programs.map((program) => program.rest()))).flat()
    expect(said.sort()).toEqual(tasks.map((task) => `sending example-${task * 3}`).sort())
  })
})

describe('a failure', () => {
  const unreachable = failed('it answered 503', 'later')

  it('is retried until it is delivered', async () => {
    const { sent, notifier } = recorder(unreachable, unreachable, { kind: 'delivered' })
    const here = await run([{ notifier }])
    await stopTask(here, 1)
    await here.announcer.close(60_000)
    expect(sent.map(({ id }) => id)).toEqual(['example-3', 'example-3', 'example-3'])
    expect(here.warned).toEqual([])
  })

  it('is given up after the last attempt, with a warning', async () => {
    const { sent, notifier } = recorder(unreachable)
    const here = await run([{ notifier }])
    await stopTask(here, 1)
    await here.announcer.close(60_000)
    expect(sent).toHaveLength(3)
    expect(here.warned).toEqual([
      'A notification could not be delivered (test): it answered 503. Umpire does not try again.',
    ])
    const later = await run([{ notifier }])
    later.announcer.begin()
    await later.announcer.close(60_000)
    expect(sent).toHaveLength(3)
  })

  it('that is permanent is not retried', async () => {
    const { sent, notifier } = recorder(failed('there is no such program', 'never'))
    const here = await run([{ notifier }])
    await stopTask(here, 1)
    await here.announcer.close(60_000)
    expect(sent).toHaveLength(1)
    expect(here.warned).toEqual([
      'A notification could not be delivered (test): there is no such program. Umpire does not try again.',
    ])
  })

  it('is left to the next run when there is no time for a retry', async () => {
    const { sent, notifier } = recorder(unreachable, { kind: 'delivered' })
    const here = await run([{ notifier }], [3_600_000])
    await stopTask(here, 1)
    await here.announcer.close(60_000)
    expect(sent).toHaveLength(1)
    expect(here.warned[0]).toContain('The next umpire work tries again.')
    now = new Date(now.getTime() + 3_600_000)
    const later = await run([{ notifier }], [3_600_000])
    later.announcer.begin()
    await later.announcer.close(60_000)
    expect(sent.map(({ id }) => id)).toEqual(['example-3', 'example-3'])
  })

  it('is not retried before the receiver allows it', async () => {
    const { sent, notifier } = recorder(failed('it answered 429', 'later', 3_600_000), { kind: 'delivered' })
    const here = await run([{ notifier }])
    await stopTask(here, 1)
    await here.announcer.close(60_000)
    expect(sent).toHaveLength(1)
  })

  it('is handled the same way if the notifier throws', async () => {
    const notifier: Notifier = {
      name: 'test',
      send: async () => {
        throw new TypeError('https://hooks.example.com/s3cret')
      },
    }
    const here = await run([{ notifier }])
    await stopTask(here, 1)
    await here.announcer.close(60_000)
    expect(here.warned).toEqual([
      'A notification could not be delivered (test): unexpected TypeError. Umpire does not try again.',
    ])
  })
})

describe('a channel that hangs', () => {
  it('delays neither the others nor the end, and is retried by the next run', async () => {
    const [slow, quick] = [recorder('hang', { kind: 'delivered' }), recorder()]
    const here = await run([
      { key: 'slow', notifier: slow.notifier },
      { key: 'quick', notifier: quick.notifier },
    ])
    await stopTask(here, 1)
    await stopTask(here, 2)
    await until(() => quick.sent.length === 2 && slow.sent.length === 1, 'the quick one')
    await here.announcer.close(0)
    expect(slow.sent).toHaveLength(1)
    const later = await run([{ key: 'slow', notifier: slow.notifier }])
    later.announcer.begin()
    await later.announcer.close(60_000)
    expect(slow.sent.map(({ task }) => task).sort()).toEqual([1, 1, 2])
  })
})

describe('in quiet hours', () => {
  it('nothing is sent, and afterwards everything in one notification', async () => {
    now = atHour(23)
    const { sent, notifier } = recorder()
    const here = await run([{ notifier, quiet }])
    await stopTask(here, 1)
    now = atHour(6, 16)
    await stopTask(here, 2)
    await here.announcer.close(60_000)
    expect(sent).toEqual([])
    expect(here.warned).toEqual([])

    now = atHour(7, 16)
    const later = await run([{ notifier, quiet }])
    await stopTask(later, 3)
    await later.announcer.close(60_000)
    expect(sent).toMatchObject([
      {
        event: 'digest',
        task: null,
        title: 'example: 2 notifications from the quiet hours',
        message: 'example: task 1 needs you: Task 1\nexample: task 2 needs you: Task 2',
        next: ['umpire status'],
      },
      { event: 'loop.blocked', task: 3 },
    ])
  })

  it('a single notification is sent unchanged afterwards, by the same run', async () => {
    now = atHour(23)
    const { sent, notifier } = recorder()
    const here = await run([{ notifier, quiet }])
    await stopTask(here, 1)
    now = atHour(8, 16)
    await here.announcer.close(60_000)
    expect(sent).toMatchObject([{ event: 'loop.blocked', task: 1 }])
  })

  it('notifications that fail together are retried together', async () => {
    now = atHour(23)
    const { sent, notifier } = recorder(failed('it answered 503', 'later'), { kind: 'delivered' })
    const here = await run([{ notifier, quiet }])
    await stopTask(here, 1)
    await stopTask(here, 2)
    await here.announcer.close(60_000)
    now = atHour(8, 16)
    const later = await run([{ notifier, quiet }])
    later.announcer.begin()
    await later.announcer.close(60_000)
    expect(sent.map(({ event, id }) => `${event} ${id}`)).toEqual([
      'digest example-3+1',
      'digest example-3+1',
    ])
  })

  it('only the channel with quiet hours is silent', async () => {
    now = atHour(23)
    const [loud, silent] = [recorder(), recorder()]
    const here = await run([
      { key: 'loud', notifier: loud.notifier },
      { key: 'silent', notifier: silent.notifier, quiet },
    ])
    await stopTask(here, 1)
    await here.announcer.close(60_000)
    expect([loud.sent.length, silent.sent.length]).toEqual([1, 0])
  })

  it('a notification that was held for a day is dropped, even by the same run', async () => {
    now = atHour(23)
    const { sent, notifier } = recorder()
    const here = await run([{ notifier, quiet }])
    await stopTask(here, 1)
    now = atHour(12, 17)
    await here.announcer.close(60_000)
    expect(sent).toEqual([])
  })

  it('a notification that could not be sent for a day is dropped', async () => {
    now = atHour(23)
    const { sent, notifier } = recorder()
    const here = await run([{ notifier, quiet }])
    await stopTask(here, 1)
    await here.announcer.close(60_000)
    now = atHour(23, 16)
    now.setMinutes(1)
    const later = await run([{ notifier }])
    later.announcer.begin()
    await later.announcer.close(60_000)
    expect(sent).toEqual([])
  })
})

it('warns about a store that can’t be written, and still closes', async () => {
  const here = await run([{}])
  here.outbox.close()
  here.announcer.begin()
  await here.announcer.close(60_000)
  expect(here.warned).toEqual([expect.stringMatching(/^Notifications could not be sent: /)])
})
