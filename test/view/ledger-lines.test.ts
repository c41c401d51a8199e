/** What `show` and a notification say about a ledger that does not get shorter. */
import { expect, test } from 'vitest'
import type { StoredEvent } from '../../src/core/event.ts'
import { summarise } from '../../src/core/summary.ts'
import { isTold, renderNotification } from '../../src/notify/render-notification.ts'
import { issueLines, ledgerTitle, tallyRows, witnessLines } from '../../src/view/ledger-lines.ts'
import { renderTaskPage } from '../../src/view/task-page.ts'
import { approves, requests, times, works } from '../core/turns.ts'
import { World } from '../core/world.ts'

const found = (...numbers: number[]) =>
  numbers.map((number) => ({ file: 'src/a.ts', line: 1, description: `Finding ${number}.` }))

const churning = () =>
  new World({ maxCycles: 9 }).play({
    developer: times(9, works({ 'src/a.ts': [[1, 99]] })),
    reviewer: [requests(...found(1)), requests(...found(2, 3)), requests(...found(1, 4, 5))],
  })

test('a churning task shows what each review opened, resolved and reopened, and so does its notification', () => {
  const world = churning()
  expect(tallyRows(world.loop.review.tally)).toEqual([
    'review  opened  resolved  reopened  blocking opened and resolved',
    '     1       1         0         0  1 and 0',
    '     2       2         1         0  2 and 1',
    '     3       2         2         1  3 and 2',
  ])
  const page = {
    loop: world.loop,
    sessions: [],
    reviews: [],
    gates: [],
    commits: 3,
    files: null,
    weakened: null,
  }
  const style = { now: new Date(), extent: 'a screen' as const, columns: 100 }
  expect(renderTaskPage(page, style)).toContain('Issues by review\n  review  opened')
  const blocked = world.events.find((event: StoredEvent) => event.type === 'loop.blocked')
  if (!blocked || !isTold(blocked)) throw new Error('nobody was told')
  const told = renderNotification(blocked, [summarise(world.loop)], 'it')
  expect(told).toMatchObject({ reason: 'churning' })
  expect(told?.message).toContain(
    '1: 1 opened; 2: 2 opened, 1 resolved; 3: 2 opened, 2 resolved, 1 reopened.',
  )
})

test('a proven and resolved issue names both reviews, and says that its witness passes now', () => {
  const { loop } = new World({ proof: 'prefer', maxCycles: 2 }).play({
    developer: times(2, works({ 'src/a.ts': [[1, 99]] })),
    reviewer: [requests({ description: 'One.', witness: ['./one'] }), approves],
    witnesses: ['proven', 'unproven'],
  })
  expect(loop).toMatchObject({ standing: { status: 'completed' }, review: { cycle: 2 } })
  expect(loop.review.ledger).toMatchObject([
    { proof: { outcome: 'proven', exitCode: 1, cycle: 1 }, since: { outcome: 'unproven', exitCode: 0 } },
  ])
  expect(issueLines(loop.review.ledger)).toEqual([
    '1. resolved other (blocking, proven in review 1, passes now, opened in 1, resolved in 2): One.',
  ])
  expect(witnessLines(loop.review.ledger)).toEqual([
    '1. proven in review 1 (exit code 1), passes now  ["./one"]: It is proven.',
  ])
})

test('issues show whether they are waived or proven, and witnesses how they ended, without control characters', () => {
  const red = '\u001b[31mred'
  const world = new World({ proof: 'prefer', maxCycles: 1 }).play({
    reviewer: [
      requests(
        { description: 'One.', witness: ['./one', red] },
        { description: 'Two.', witness: ['./two'] },
        {},
      ),
    ],
    witnesses: ['proven', 'unproven'],
  })
  world.person({ kind: 'waive', issues: [3], why: `Never mind ${red}` })
  const {
    review: { ledger },
  } = world.loop
  expect(ledgerTitle(ledger)).toBe('Issues (2 open, 0 resolved, 1 waived)')
  expect(issueLines(ledger)).toEqual([
    '1. open other (blocking, proven, opened in 1): One.',
    '2. open other (advisory, unproven, opened in 1): Two.',
    '3. waived other (blocking, opened in 1, waived by ada: Never mind red): It does not do what the task asks.',
  ])
  expect(witnessLines(ledger)).toEqual([
    '1. proven (exit code 1)  ["./one","\\u001b[31mred"]: It is proven.',
    '2. unproven (exit code 0)  ["./two"]: It is unproven.',
  ])
  expect(tallyRows(world.loop.review.tally)).toEqual([])
})
