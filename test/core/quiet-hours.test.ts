import { expect, test } from 'vitest'
import { isQuiet, parseQuietHours } from '../../src/core/policy/quiet-hours.ts'

const at = (hours: number, minutes = 0) => new Date(2026, 0, 15, hours, minutes)

function quietAt(text: string, ...times: Date[]): boolean[] {
  const hours = parseQuietHours(text)
  if (!hours) throw new Error(`${text} is refused`)
  return times.map((time) => isQuiet(hours, time))
}

test('quiet hours include their first minute and exclude their last', () => {
  expect(quietAt('12:30-13:30', at(12, 29), at(12, 30), at(13, 29), at(13, 30))).toEqual([
    ...[false, true, true, false],
  ])
})

test('quiet hours may span midnight, or reach up to it', () => {
  const times = [at(21, 59), at(22), at(23, 59), at(0), at(6, 59), at(7), at(12)]
  expect(quietAt('22:00-07:00', ...times)).toEqual([false, true, true, true, true, false, false])
  expect(quietAt('22:00-24:00', ...times)).toEqual([false, true, true, false, false, false, false])
  expect(quietAt('22:00-00:00', ...times)).toEqual([false, true, true, false, false, false, false])
})

test('00:00-24:00 is always quiet', () => {
  expect(quietAt('00:00-24:00', at(0), at(12), at(23, 59))).toEqual([true, true, true])
})

test.each(['', '22-7', '22:00', '7:00-8:00', '22:00-22:00', '24:00-07:00', '22:00-24:01', '22:60-07:00'])(
  '%j is not a valid range',
  (text) => expect(parseQuietHours(text)).toBeNull(),
)
