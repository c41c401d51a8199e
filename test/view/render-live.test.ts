/** What `work` shows of running tasks, as a function of the loops and the clock. */
import { expect, test } from 'vitest'
import { applyChange, type Loop } from '../../src/core/loop.ts'
import { createPaint, noPaint } from '../../src/lib/text/paint.ts'
import { stopwatch, timeOfDay } from '../../src/view/amounts.ts'
import { doing, type LiveTask, renderLive } from '../../src/view/render-live.ts'
import { fails, type ReviewerTurn, requests, worksOn } from '../core/turns.ts'
import { type Script, World } from '../core/world.ts'

const room = { columns: 79, rows: 23 }

/** The states that a played loop goes through, each just before its next step. */
function statesOf(script: Script, task = { title: 'Add feature X' }): Loop[] {
  return new World({ maxCycles: 3 }, task).play(script).trace.map(({ loop }) => loop)
}

const at = (loop: Loop, ms: number) => new Date(Date.parse(loop.turn.session?.startedAt ?? '') + ms)
const task = (loop: Loop, said: string | null = null): LiveTask => ({
  loop,
  since: '2026-01-01T00:00:00.000Z',
  said,
})
const inReview = ({ turn: { session } }: Loop) => session?.role === 'reviewer'

function found(loops: Loop[], which: (loop: Loop) => boolean): Loop {
  const loop = loops.find(which)
  if (!loop) throw new Error('the loop was never so')
  return loop
}

test('a running task is one line with its cycle, its step and the elapsed time', () => {
  const loop = found(
    statesOf({ reviewer: [requests()] }),
    (each) => inReview(each) && each.review.cycle === 1,
  )
  expect(renderLive([task(loop)], at(loop, 41_000), room, noPaint)).toEqual([
    '→ 7. Add feature X  [2/3] Reviewing… 0:41',
  ])
  expect(renderLive([task(loop)], at(loop, 3_723_000), room, noPaint)[0]).toMatch(/ 1:02:03$/)
})

test('every step has a label', () => {
  const reviewer: ReviewerTurn[] = [requests()]
  const gates = [{ name: 'test', command: 'npm test', kind: 'gate' as const }]
  const { trace } = new World({ gates }).play({ reviewer })
  const now = new Date('2026-01-01T00:00:05.000Z')
  const words = trace
    .filter(({ loop, step }) => loop.standing.status === 'in_progress' && step.do !== 'record')
    .map(({ loop }) => renderLive([task(loop)], now, room, noPaint)[0]?.replace(/ [\d:]+$/, ''))
  expect(words).toEqual(
    [
      ...['[1/3] Preparing…', '[1/3] Preparing…', '[1/3] Developing…', '[1/3] Committing…'],
      ...['[1/3] Checking: test…', '[1/3] Preparing the review…', '[1/3] Reviewing…'],
      ...['[2/3] Preparing…', '[2/3] Improving…', '[2/3] Committing…'],
      ...['[2/3] Checking: test…', '[2/3] Preparing the review…', '[2/3] Reviewing…'],
    ].map((rest) => `→ 7. Add a feature  ${rest}`),
  )
})

test('a pause before a retry shows its end, from the agent’s reset time or Umpire’s own backoff', () => {
  const retryAt = '2026-01-01T02:10:00.000Z'
  const limited = found(
    statesOf({ developer: [{ does: 'fails', class: 'rate_limited', retryAt }] }),
    ({ turn: { tries, session } }) => tries.waits === 1 && session === null,
  )
  const now = new Date('2026-01-01T02:07:50.000Z')
  expect(renderLive([task(limited)], now, room, noPaint)).toEqual([
    `→ 7. Add feature X  [1/3] waiting 2:10 for scripted’s limit until ${timeOfDay(retryAt)}`,
  ])
  const narrow = renderLive([task(limited)], now, { ...room, columns: 36 }, noPaint)
  expect(narrow[0]).toContain('waiting 2:10')
  // The pause is over.
  expect(renderLive([task(limited)], new Date(retryAt), room, noPaint)[0]).toContain('Preparing…')

  const crashed = found(statesOf({ reviewer: [fails()] }), ({ turn: { tries } }) => tries.failures === 1)
  const [line] = renderLive([task(crashed)], new Date(crashed.turn.tries.last?.at ?? ''), room, noPaint)
  expect(line).toContain(`waiting ${stopwatch(2_999)} until `)
  expect(line).toMatch(/\(crash\)$/)
})

test('the agent’s latest line is shown below, cleaned and cut, unless it is machine output', () => {
  const loop = found(statesOf({}), ({ turn: { session } }) => session !== null)
  const below = (said: string | null, columns = 79) =>
    renderLive([task(loop, said)], at(loop, 0), { columns, rows: 23 }, noPaint).slice(1)
  expect(below('\u001b[2JReading \u202esrc/a.ts\r\nand more')).toEqual(['    Reading src/a.ts and more'])
  expect(below('x'.repeat(100), 30)).toEqual([`    ${'x'.repeat(25)}…`])
  for (const nothing of [null, '', ' \t', '\u001b[0m', '{"type":"assistant"}'])
    expect(below(nothing)).toEqual([])
})

test('progress that an agent reports by its tools is shown if its own lines are machine output', () => {
  const loop = found(statesOf({}), ({ turn: { session } }) => session !== null)
  if (!loop.turn.session) throw new Error('nobody is at work')
  const reporting = applyChange(loop, {
    turn: { session: { ...loop.turn.session, progress: { text: 'Half\u001b[2J way', request: 1 } } },
  })
  const below = (said: string | null) =>
    renderLive([task(reporting, said)], at(loop, 0), room, noPaint).slice(1)
  expect(below(null)).toEqual(['    Half way'])
  expect(below('{"type":"assistant"}')).toEqual(['    Half way'])
  expect(below('Reading on')).toEqual(['    Reading on'])
})

test('a narrow window cuts the title before the step', () => {
  const title = 'A title that is \u001b[31mmuch\u0007 too long for any window\nof this width'
  const loop = found(statesOf({}, { title }), ({ turn: { session } }) => session !== null)
  const [line = ''] = renderLive([task(loop)], at(loop, 1000), { columns: 44, rows: 5 }, noPaint)
  expect(line).toBe('→ 7. A title that i…  [1/3] Developing… 0:01')
  expect(renderLive([task(loop)], at(loop, 1000), { columns: 20, rows: 5 }, noPaint)[0]).toHaveLength(20)
})

test('tasks are sorted by number, and those that do not fit are counted', () => {
  const loop = found(statesOf({}), ({ turn: { session } }) => session !== null)
  const many = [3, 1, 2, 5, 4].map((id) => task({ ...loop, id }, `words of ${id}`))
  const lines = (rows: number) => renderLive(many, at(loop, 0), { columns: 79, rows }, noPaint)
  expect(lines(10).map((line) => line.slice(0, 14))).toEqual(
    [1, 2, 3, 4, 5].flatMap((id) => [`→ ${id}. Add featu`, `    words of ${id}`]),
  )
  // There is room for the tasks, but not for the agents' lines.
  expect(lines(9)).toHaveLength(5)
  expect(lines(3)).toEqual([
    expect.stringMatching(/^→ 1\. /),
    expect.stringMatching(/^→ 2\. /),
    '… and 3 more',
  ])
})

test('a finished task is not shown, and colours appear only on request', () => {
  const { loop } = new World().play()
  expect(renderLive([task(loop)], new Date(), room, noPaint)).toEqual([])
  const running = found(statesOf({}), ({ turn: { session } }) => session !== null)
  const [plain = ''] = renderLive([task(running)], at(running, 0), room, noPaint)
  const [painted = ''] = renderLive([task(running)], at(running, 0), room, createPaint('on'))
  expect(plain).not.toContain('\u001b')
  expect(painted.replace(/\u001b\[\d+m/g, '')).toBe(plain)
})

test('an iteration with nothing to improve says that it continues', () => {
  const { trace } = new World({ until: 'claim' }).play({ developer: [worksOn] })
  const words = trace.map(({ loop }) => doing(loop))
  expect(words).toContain('Continuing…')
  expect(words).not.toContain('Improving…')
})
