/** The live view over time: it follows events, ticks, and leaves only the final lines. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openLiveScreen } from '../../src/cli/screen/live-screen.ts'
import type { StoredEvent } from '../../src/core/event.ts'
import { foldLoop } from '../../src/core/evolve.ts'
import { noPaint } from '../../src/lib/text/paint.ts'
import { fails } from '../core/turns.ts'
import { type Script, World } from '../core/world.ts'
import { FakeTerminal } from '../support/terminal.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** The lines are readable already. An empty line says nothing. */
const readLine = (_: string, { content }: { content: string }) => content || null

/** A screen over a played history, which has happened as far as the test has told it. */
function open(script: Script = {}) {
  const { events } = new World().play(script)
  const terminal = new FakeTerminal(80, 24)
  const happened: StoredEvent[] = []
  let said: string | null = null
  const archive = {
    loop: async () => foldLoop(happened),
    lastMessage: async () =>
      said === null
        ? null
        : { sequence: 0, source: 'stdout' as const, type: 'text', content: said, end: 0, at: '' },
  }
  const screen = openLiveScreen({ terminal, archive, readLine, paint: noPaint, now: () => new Date() })
  const told = (event: StoredEvent) => {
    vi.setSystemTime(event.at)
    happened.push(event)
    if (happened.length > 1) screen.observe([event])
  }
  return {
    screen,
    terminal,
    say: (text: string) => {
      said = text
    },
    tellUpTo(type: StoredEvent['type']) {
      while (happened.at(-1)?.type !== type) {
        const event = events[happened.length]
        if (!event) throw new Error(`${type} never happened`)
        told(event)
      }
    },
    tellAll: () => events.slice(happened.length).forEach(told),
  }
}

test('keeps the last readable line of an agent until another agent speaks', async () => {
  const { screen, terminal, tellUpTo, tellAll, say } = open()
  tellUpTo('session.started')
  say('claude waits: attempt 3 of 10 in 12 s')
  await vi.advanceTimersByTimeAsync(1_200)
  expect(terminal.text).toContain('\n    claude waits: attempt 3 of 10 in 12 s')
  say('')
  await vi.advanceTimersByTimeAsync(1_200)
  expect(terminal.text).toContain('\n    claude waits: attempt 3 of 10 in 12 s')
  tellUpTo('review.started')
  tellUpTo('session.started')
  await vi.advanceTimersByTimeAsync(1_200)
  expect(terminal.text).toContain('Reviewing…')
  expect(terminal.text).not.toContain('waits')
  tellAll()
  await screen.close()
})

test('a running task ticks once a second, with the latest line of its agent', async () => {
  const { screen, terminal, tellUpTo, say } = open()
  tellUpTo('session.started')
  await vi.advanceTimersByTimeAsync(200)
  expect(terminal.text).toBe('→ 7. Add a feature  [1/3] Developing… 0:00')
  say('Reading the sources')
  await vi.advanceTimersByTimeAsync(41_000)
  expect(terminal.text).toBe('→ 7. Add a feature  [1/3] Developing… 0:41\n    Reading the sources')
  await screen.close()
})

test('draws at most five frames a second, however much happens', async () => {
  const { screen, terminal, tellUpTo } = open()
  tellUpTo('session.started')
  await vi.advanceTimersByTimeAsync(1000)
  const before = terminal.writes.length
  for (let ms = 0; ms < 2000; ms += 10) {
    screen.observe([])
    await vi.advanceTimersByTimeAsync(10)
  }
  expect(terminal.writes.length - before).toBeLessThanOrEqual(10)
  await screen.close()
})

test('important events scroll by above, and at the end only the conclusion stays below them', async () => {
  const { screen, terminal, tellUpTo, tellAll } = open({ developer: [fails()] })
  tellUpTo('session.ended')
  await vi.advanceTimersByTimeAsync(500)
  expect(terminal.text.split('\n')).toEqual([
    expect.stringMatching(/^#7 \[1\/3\] Session failed \(crash\): /),
    expect.stringMatching(/^→ 7\. Add a feature {2}\[1\/3\] waiting 0:02 until \d\d:\d\d \(crash\)$/),
  ])
  tellAll()
  await vi.advanceTimersByTimeAsync(500)
  screen.conclude(['✓ 7. all is well'])
  await screen.close()
  expect(terminal.text.split('\n')).toEqual([
    expect.stringMatching(/^#7 \[1\/3\] Session failed /),
    expect.stringMatching(/^#7 \[1\/3\] Review: APPROVED/),
    '#7 [1/3] Approved',
    '✓ 7. all is well',
  ])
  expect(vi.getTimerCount()).toBe(0)
  expect(terminal.listenerCount('resize')).toBe(0)
})

test('a view that can’t be read does not stop the work', async () => {
  const terminal = new FakeTerminal(80, 24)
  const broken = async () => {
    throw new Error('the database is locked')
  }
  const archive = { loop: broken, lastMessage: broken }
  const screen = openLiveScreen({ terminal, archive, readLine, paint: noPaint, now: () => new Date() })
  for (const event of new World().play().events) screen.observe([event])
  await vi.advanceTimersByTimeAsync(3000)
  screen.conclude(['the end'])
  await screen.close()
  expect(terminal.text).toMatch(/#7 \[1\/3\] Approved\nthe end$/)
})
