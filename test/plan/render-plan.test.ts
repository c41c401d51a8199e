/** An exported task reads back unchanged, whatever it contains. */

import { expect, test } from 'vitest'
import { parsePlan } from '../../src/plan/format/parse-plan.ts'
import type { PlanFile } from '../../src/plan/format/plan-file.ts'
import { isUntouched, renderPlan } from '../../src/plan/format/render-plan.ts'
import { fc, samples } from '../support/random.ts'

const store = '0123456789ab'

const plain: Omit<PlanFile, 'mark'> = {
  task: 3,
  title: 'Greet in French',
  status: 'pending',
  description: 'Bonjour for `--lang fr`.\n\n## Where\n\nIn greet.js.',
  scope: 'greet.js',
  accept: ['has a test', 'says it in two\nlines'],
  gates: ['npm test'],
  dependsOn: [1, 2],
  group: 2,
  of: null,
  settings: { effort: 'high' },
}

/** Encodes and decodes the bytes of a file, as an import does. */
function readAgain(text: string): PlanFile {
  const parsed = parsePlan('x.md', new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(text)))
  if (parsed.kind !== 'task') throw new Error(JSON.stringify(parsed))
  return parsed.plan
}

test('writes a file for people: sections, and only the keys that are set', () => {
  const text = renderPlan(plain, { id: 3, store })
  expect(text.replace(/:[0-9a-f]{12}"/, ':DIGEST"')).toBe(`---
task: 3
title: Greet in French
status: pending
backpressure: npm test
depends_on: [1, 2]
group: 2
effort: high
umpire: "3@0123456789ab:DIGEST"
---

## Objective

Bonjour for \`--lang fr\`.

## Where

In greet.js.

## Scope

greet.js

## Acceptance Criteria

- has a test
- says it in two
  lines
`)
  expect(isUntouched(text, readAgain(text).mark?.digest ?? '')).toBe(true)
  expect(isUntouched(text.replace('greet.js', 'other.js'), readAgain(text).mark?.digest ?? '')).toBe(false)
})

test('a description with its own sections reads back whole', () => {
  const tricky = {
    ...plain,
    description: '## Scope\n\neverything',
    scope: null,
    accept: ['', ' - x'].slice(1),
  }
  const { mark: _, ...again } = readAgain(renderPlan(tricky, { id: 3, store }))
  expect(again).toEqual(tricky)
})

const anyLine = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '## Scope',
    '# Objective',
    '- item',
    '  - [ ] box',
    '---',
    '```',
    '',
    'text',
    '~~~',
    '\r',
    'half \ud800',
    '1. one',
    '...',
  ),
)
const anyText = fc.array(anyLine, { maxLength: 8 }).map((lines) => lines.join('\n'))
const someText = anyText.filter((text) => text.trim() !== '')
const anyNumber = fc.integer({ min: 0, max: 1000 })

const anyPlan: fc.Arbitrary<Omit<PlanFile, 'mark'>> = fc.record({
  task: anyNumber,
  title: someText,
  status: fc.constantFrom(
    'pending',
    'in_progress',
    'completed',
    'blocked',
    'failed',
    'cancelled',
    'awaiting_review',
  ),
  description: anyText,
  scope: fc.option(someText),
  accept: fc.array(someText, { maxLength: 3 }),
  gates: fc.array(someText, { maxLength: 3 }),
  dependsOn: fc.uniqueArray(anyNumber, { maxLength: 3 }),
  group: fc.option(fc.integer({ min: 1, max: 1_000_000 })),
  of: fc.option(anyNumber),
  settings: fc.record(
    {
      type: fc.constantFrom('implement' as const, 'review' as const, 'improve' as const),
      autoReview: fc.boolean(),
      maxCycles: fc.integer({ min: 1, max: 1000 }),
      effort: fc.constantFrom('low' as const, 'max' as const),
      agent: someText,
      model: someText,
      reviewer: someText,
      reviewModel: someText,
    },
    { requiredKeys: [] },
  ),
})

test('any task reads back from its file unchanged', () => {
  fc.assert(
    fc.property(anyPlan, fc.integer({ min: 1, max: 10 ** 9 }), (plan, id) => {
      const text = renderPlan(plan, { id, store })
      const { mark, ...again } = readAgain(text)
      expect(again).toEqual(plan)
      expect(mark).toMatchObject({ id, store })
      expect(isUntouched(text, mark?.digest ?? '')).toBe(true)
    }),
    { numRuns: samples(300) },
  )
})

test('parsing never throws on any file', () => {
  const anyFile = fc.oneof(
    anyText,
    fc.tuple(anyText, anyText).map(([front, body]) => `---\n${front}\n---\n${body}`),
  )
  fc.assert(
    fc.property(anyFile, (text) => {
      expect(['task', 'other', 'malformed']).toContain(parsePlan('x.md', text).kind)
    }),
    { numRuns: samples(300) },
  )
})
