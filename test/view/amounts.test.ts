import { expect, test } from 'vitest'
import {
  ago,
  bytes,
  changeSize,
  dollars,
  duration,
  stopwatch,
  timeOfDay,
  tokenCount,
} from '../../src/view/amounts.ts'

const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000]

test('a stopwatch shows minutes and seconds, and hours when there are any', () => {
  expect([0, 999, 41 * second, 12 * minute + 5 * second].map(stopwatch)).toEqual([
    '0:00',
    '0:00',
    '0:41',
    '12:05',
  ])
  expect(stopwatch(hour + 2 * minute + 3 * second)).toBe('1:02:03')
  expect(stopwatch(-5)).toBe('0:00')
})

test('a duration has at most two units', () => {
  expect([0, 999, 41.9 * second].map(duration)).toEqual(['under 1 s', 'under 1 s', '41 s'])
  expect(duration(4 * minute + 12 * second)).toBe('4 min 12 s')
  expect(duration(5 * minute)).toBe('5 min')
  expect(duration(2 * hour + 5 * minute + 59 * second)).toBe('2 h 5 min')
  expect(duration(3 * day + 4 * hour)).toBe('3 d 4 h')
})

test('a time is shown as how long ago it was', () => {
  const now = new Date('2026-03-02T12:00:00.000Z')
  const at = (ms: number) => ago(new Date(now.getTime() - ms).toISOString(), now)
  expect([-hour, 0, 59 * second, minute, 3.5 * minute].map(at)).toEqual([
    ...['just now', 'just now', 'just now', '1 min ago', '3 min ago'],
  ])
  expect([2 * hour, day, 5.9 * day].map(at)).toEqual(['2 h ago', 'a day ago', '5 days ago'])
  const local = new Date(2026, 2, 2, 9, 5).toISOString()
  expect(timeOfDay(local)).toBe('09:05')
})

test('sizes, tokens and money are short', () => {
  expect([0, 512, 999, 1000, 1_234_567, 200e6, 3e12].map(bytes)).toEqual([
    ...['0 B', '512 B', '999 B', '1 kB', '1.2 MB', '200 MB', '3 TB'],
  ])
  expect([0, 950, 12_345, 999_949, 999_950, 1_234_567].map(tokenCount)).toEqual([
    ...['0', '950', '12.3k', '999.9k', '1M', '1.2M'],
  ])
  expect([0, 0.004, 0.42, 12].map(dollars)).toEqual(['$0.00', 'under $0.01', '$0.42', '$12.00'])
})

test('a change is shown in lines and files, and a binary file has no lines', () => {
  expect(changeSize([])).toBe('+0 −0 in 0 files')
  expect(changeSize([{ added: 12, removed: 3 }])).toBe('+12 −3 in 1 file')
  expect(
    changeSize([
      { added: 1, removed: 2 },
      { added: null, removed: null },
    ]),
  ).toBe('+1 −2 in 2 files')
})
