import { expect, test } from 'vitest'
import { type OtherLoop, renderOtherLoops } from '../../src/prompts/other-tasks.ts'

const loop = (title: string, status: string, iteration: number, own = false): OtherLoop => ({
  title,
  status,
  iteration,
  own,
})

test('names the loops of the run by letters, with their progress, and which is under review', () => {
  const text = renderOtherLoops([
    loop('Add a page', 'completed', 2),
    loop('Add a\n```\nform', 'in_progress', 1, true),
    loop('Add a menu', 'in_progress', 3),
  ])
  expect(text).toContain('Loop A (completed): Add a page\n')
  expect(text).toContain('Loop C (in_progress): Add a menu, iteration 3\n')
  // A title stays one line of data, whatever it contains.
  expect(text).toMatch(/Loop B \(in_progress\): Add a ``` form, iteration 1 \(the one under review\)\n/)
  expect(text).toMatch(/\n````\n$|\n````$/)
})

test('says nothing without other loops, and limits a long list', () => {
  expect(renderOtherLoops([loop('Alone', 'in_progress', 1, true)])).toBeNull()
  const many = Array.from({ length: 100 }, (_, index) => loop(`Task ${index}`, 'completed', 1, index === 90))
  const text = renderOtherLoops(many) ?? ''
  expect(text.split('\n').filter((line) => line.startsWith('Loop '))).toHaveLength(30)
  expect(text).toContain('Task 90')
  expect(text).toContain('… and 70 more')
  expect(text).toContain('Loop CV (completed): Task 99')
})
