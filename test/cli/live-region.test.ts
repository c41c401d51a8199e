/** The writer that draws lines in place: what a terminal shows afterwards, whatever was there before. */
import { expect, test } from 'vitest'
import { openLiveRegion } from '../../src/cli/screen/live-region.ts'
import { FakeTerminal } from '../support/terminal.ts'

function open(columns = 40, rows = 10) {
  const terminal = new FakeTerminal(columns, rows)
  terminal.write('$ umpire work\n')
  return { terminal, region: openLiveRegion(terminal) }
}

test('redraws lines in place, and leaves nothing behind if there are fewer', () => {
  const { terminal, region } = open()
  region.draw(['one', 'two', 'three'])
  region.draw(['one', 'TWO'])
  expect(terminal.text).toBe('$ umpire work\none\nTWO')
  region.draw(['a longer line than before', 'x'])
  expect(terminal.text).toBe('$ umpire work\na longer line than before\nx')
  region.draw([])
  expect(terminal.text).toBe('$ umpire work')
})

test('other lines scroll by above, even if they wrap', () => {
  const { terminal, region } = open(10, 5)
  region.draw(['live 1', 'live 2'])
  region.print(['done: a line that is longer than the window'])
  for (let count = 1; count <= 8; count++) region.print([`done ${count}`])
  region.draw(['live 1', 'changed'])
  const above = ['done: a li', 'ne that is', ' longer th', 'an the win', 'dow', ...eight('done')]
  expect(terminal.text.split('\n').slice(2)).toEqual([...above, 'live 1', 'changed'])
})

const eight = (word: string) => Array.from({ length: 8 }, (_, index) => `${word} ${index + 1}`)

test('cuts what is wider or higher than the window, and shows that it did', () => {
  const { terminal, region } = open(12, 4)
  region.draw(['a line that is too wide', 'second', 'third', 'fourth', 'fifth'])
  expect(terminal.text).toBe('$ umpire wor\nk\na line tha…\nsecond\n… and 3 mo…')
  // Repeated redraws must not overwrite the lines above.
  for (let count = 1; count <= 5; count++)
    region.draw([`wide again and again ${count}`, '2', '3', `${count}`])
  expect(terminal.text).toBe('$ umpire wor\nk\nwide again…\n2\n… and 2 mo…')
})

test('a line that is wider than measured still takes one row', () => {
  const { terminal, region } = open(10, 5)
  // These characters are wider on some terminals than measured. They must not wrap into the next line.
  region.draw(['ⓐ'.repeat(9), 'next'])
  region.draw(['ⓐ'.repeat(9), 'NEXT'])
  expect(terminal.writes.at(-1)).toMatch(/^\r\u001b\[2A\u001b\[\?7l.*\u001b\[\?7h\u001b\[J$/su)
  expect(terminal.text.split('\n').slice(-2)).toEqual(['ⓐ'.repeat(9), 'NEXT'])
})

test('redraws when the window shrinks, and writes nothing if nothing changed', () => {
  const { terminal, region } = open(40, 10)
  region.draw(['a line of some length', 'second'])
  const writes = terminal.writes.length
  region.draw(['a line of some length', 'second'])
  expect(terminal.writes).toHaveLength(writes)
  terminal.columns = 11
  terminal.emit('resize')
  // The first line takes two rows of the narrower window, and both are redrawn.
  expect(terminal.writes.at(-1)).toContain('\r\u001b[3A')
  expect(terminal.writes.at(-1)).toContain('a line of…')
  region.close()
  expect(terminal.listenerCount('resize')).toBe(0)
})

test('assumes 80 by 24 for a terminal that does not know its size', () => {
  const terminal = new FakeTerminal(80, 24)
  const region = openLiveRegion(Object.assign(terminal, { columns: 0, rows: 0 }))
  expect(region.room()).toEqual({ columns: 79, rows: 23 })
})
