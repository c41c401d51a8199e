/** The ledger: how it recognises a known issue, when a late finding blocks, and what happens to unmentioned issues. */

import { describe, expect, test } from 'vitest'
import {
  type Changes,
  isLeftOpen,
  reconcile,
  withOpened,
  withResolved,
} from '../../src/core/review/ledger.ts'
import type { ReportedIssue, Verdict } from '../../src/core/review/review.ts'
import type { LedgerIssue } from '../../src/core/review/review-record.ts'
import { finding } from './turns.ts'

/** The ledger after these reviews. A review is given as its issues and the lines that changed before it, by file. */
function after(
  ...reviews: { issues: Partial<ReportedIssue>[]; changes?: Changes; verdict?: Verdict }[]
): LedgerIssue[] {
  return reviews.reduce<LedgerIssue[]>(
    (ledger, { issues, changes = null, verdict = 'CHANGES_REQUESTED' }, index) => {
      const body = {
        verdict,
        summary: '',
        interpretedIntent: null,
        intentSatisfied: null,
        scores: {},
        blocking: false,
        issues: issues.map(finding),
      }
      const at = { review: `review-${index + 1}`, cycle: index + 1, changes }
      return reconcile(ledger, body, at).reduce((known, event) => {
        if (event.type === 'issue.opened') return withOpened(known, event.data)
        if (event.type === 'issue.resolved') return withResolved(known, event.data)
        throw new Error(`${event.type} is not the ledger's`)
      }, ledger)
    },
    [],
  )
}

const leak = { file: 'src/a.ts', line: 3, type: 'bug', description: 'It leaks.' } as const
const slow = { file: 'src/b.ts', line: 9, type: 'other', description: 'It is slow.' } as const
const everything: Changes = { 'src/a.ts': [[1, 999]], 'src/b.ts': [[1, 999]] }

describe('the ledger recognises a known issue', () => {
  test('by its number in the ledger, with or without a hash', () => {
    for (const id of ['2', '#2']) {
      const ledger = after({ issues: [leak, slow] }, { issues: [{ id, description: '', status: 'open' }] })
      expect(ledger).toMatchObject([
        { number: 1, status: 'resolved', resolvedIn: 2 },
        { number: 2, status: 'open', description: 'It is slow.', file: 'src/b.ts', line: 9 },
      ])
    }
  })

  test('by the name that the reviewer once gave it', () => {
    const ledger = after(
      { issues: [{ ...leak, id: 'LEAK' }] },
      { issues: [{ id: 'LEAK', description: '', status: 'open' }] },
    )
    expect(ledger).toMatchObject([{ number: 1, alias: 'LEAK', status: 'open', reopened: 0 }])
  })

  test('by file, type and description, ignoring case, spaces and the spelling of the path', () => {
    const again = { ...leak, file: './src/a.ts', description: ' it LEAKS. ' }
    expect(after({ issues: [leak] }, { issues: [again] })).toMatchObject([{ number: 1, status: 'open' }])
  })

  test('by its description rather than its name, if a reviewer renumbers its findings', () => {
    const ledger = after(
      {
        issues: [
          { ...leak, id: '1' },
          { ...slow, id: '2' },
        ],
      },
      { issues: [{ ...slow, id: '1' }] },
    )
    expect(ledger).toMatchObject([
      { number: 1, status: 'resolved' },
      { number: 2, status: 'open' },
    ])
  })

  test('by its number rather than its name', () => {
    const ledger = after(
      {
        issues: [
          { ...leak, id: '2' },
          { ...slow, id: '1' },
        ],
      },
      { issues: [{ id: '1', description: '', status: 'open' }] },
    )
    expect(ledger.map((issue) => issue.status)).toEqual(['open', 'resolved'])
  })

  test('but not if only file, line and type are the same', () => {
    const ledger = after(
      { issues: [leak] },
      { issues: [{ ...leak, description: 'It hangs.' }], changes: everything },
    )
    expect(ledger).toMatchObject([
      { number: 1, status: 'resolved' },
      { number: 2, status: 'open', openedIn: 2 },
    ])
  })

  test('and keeps two findings under one name apart', () => {
    const ledger = after({ issues: [leak] }, { issues: [leak, { ...slow, id: '1' }], changes: everything })
    expect(ledger).toMatchObject([
      { number: 1, description: 'It leaks.', status: 'open' },
      { number: 2, description: 'It is slow.', status: 'open' },
    ])
  })
})

describe('an open issue', () => {
  test('is resolved if a later review does not mention it', () => {
    expect(after({ issues: [leak, slow] }, { issues: [leak] })).toMatchObject([
      { status: 'open' },
      { status: 'resolved', resolvedIn: 2 },
    ])
  })

  test('is resolved if a review marks it as resolved', () => {
    expect(
      after({ issues: [leak] }, { issues: [{ id: '1', status: 'resolved', description: '' }] }),
    ).toMatchObject([{ status: 'resolved', resolvedIn: 2 }])
  })

  test('is resolved by a plain approval', () => {
    expect(after({ issues: [leak, slow] }, { issues: [], verdict: 'APPROVED' })).toMatchObject([
      { status: 'resolved' },
      { status: 'resolved' },
    ])
  })

  test('gets the newest description, line and suggestion of the reviewer', () => {
    const newer = {
      id: '1',
      file: 'src/a.ts',
      line: 30,
      description: 'Still leaks, now in close().',
      suggestion: 'Free it.',
    }
    expect(after({ issues: [leak] }, { issues: [newer] })).toMatchObject([
      {
        number: 1,
        openedIn: 1,
        line: 30,
        description: 'Still leaks, now in close().',
        suggestion: 'Free it.',
        type: 'bug',
      },
    ])
  })

  test('changes its severity if the reviewer says so', () => {
    expect(after({ issues: [leak] }, { issues: [{ ...leak, severity: 'advisory' }] })).toMatchObject([
      { severity: 'advisory', status: 'open' },
    ])
  })

  test('keeps its severity if a review only marks it as open, because that severity is just a default', () => {
    const advisory = { ...slow, severity: 'advisory' } as const
    expect(
      after({ issues: [advisory] }, { issues: [{ id: '1', status: 'open', description: '' }] }),
    ).toMatchObject([{ severity: 'advisory', status: 'open' }])
  })

  test('contradicts an approval that marks it as open, by number, name or description, unless it is late', () => {
    const ledger = after(
      { issues: [{ ...leak, id: 'LEAK' }] },
      {
        issues: [
          { ...leak, id: 'LEAK' },
          { ...slow, id: 'SLOW' },
        ],
        changes: {},
      },
    )
    const left = (mark: Partial<ReportedIssue>) =>
      isLeftOpen(ledger, { ...finding({ description: '' }), severity: 'advisory', status: 'open', ...mark })
    expect([{ id: '1' }, { id: '#1' }, { id: 'LEAK' }, { ...leak, id: null }].map(left)).toEqual([
      true,
      true,
      true,
      true,
    ])
    expect([{ id: '2' }, { id: 'SLOW' }, { id: '7' }, { description: 'a nit' }].map(left)).toEqual([
      false,
      false,
      false,
      false,
    ])
    expect(left({ id: '1', status: 'resolved' })).toBe(false)
  })
})

describe('a resolved issue', () => {
  test('that is reported again is reopened, in any cycle and place, and keeps its number', () => {
    const nothing: Changes = {}
    const ledger = after(
      { issues: [slow] },
      { issues: [], changes: nothing },
      { issues: [slow], changes: nothing },
    )
    expect(ledger).toMatchObject([
      {
        number: 1,
        status: 'open',
        severity: 'blocking',
        openedIn: 1,
        resolvedIn: null,
        reopened: 1,
        late: false,
      },
    ])
  })
})

describe('an entry without content opens no issue', () => {
  test.each([
    ['a finding that is reported as resolved', { ...leak, status: 'resolved' }],
    ['a mark on an issue that nobody knows', { id: '99', status: 'open', description: '' }],
  ] as const)('%s', (_, issue) => {
    expect(after({ issues: [issue] })).toEqual([])
  })

  test('the same finding twice in one review', () => {
    expect(after({ issues: [leak, { ...leak, line: 4 }] })).toHaveLength(1)
  })
})

describe('a new issue in a later cycle', () => {
  const changes: Changes = { 'src/a.ts': [[10, 20]], 'src/b.ts': [] }
  const nit = { type: 'pattern-violation', description: 'Odd name.' } as const

  test.each([
    ['on a line that changed since the last review', { ...nit, file: 'src/a.ts', line: 20 }, 'blocks'],
    ['on a line that did not change', { ...nit, file: 'src/a.ts', line: 21 }, 'late'],
    ['in a file that did not change', { ...nit, file: 'src/c.ts', line: 1 }, 'late'],
    ['without a line, in a file that changed', { ...nit, file: './src/a.ts' }, 'blocks'],
    ['without a line, in a file that did not change', { ...nit, file: 'src/c.ts' }, 'late'],
    ['that names no file', nit, 'blocks'],
    ['that is a bug with file and line', { ...nit, type: 'bug', file: 'src/c.ts', line: 1 }, 'blocks'],
    [
      'that is a security hole with file and line',
      { ...nit, type: 'security', file: 'src/c.ts', line: 1 },
      'blocks',
    ],
    ['that is a bug without a line', { ...nit, type: 'bug', file: 'src/c.ts' }, 'late'],
    ['in a file with a treacherous name', { ...nit, file: 'constructor', line: 1 }, 'late'],
  ] as const)('%s', (_, issue, outcome) => {
    const [, found] = after({ issues: [leak] }, { issues: [leak, issue], changes })
    expect(found).toMatchObject(
      outcome === 'late' ? { severity: 'advisory', late: true } : { severity: 'blocking', late: false },
    )
  })

  test('is never late at the first review', () => {
    expect(after({ issues: [{ ...nit, file: 'src/c.ts', line: 1 }] })).toMatchObject([{ late: false }])
  })
})

describe('a late finding', () => {
  const nit = { type: 'pattern-violation', description: 'Odd name.', file: 'src/b.ts', line: 5 } as const
  const first = { issues: [leak] }
  const second = { issues: [leak, nit], changes: { 'src/a.ts': [[1, 9]] } satisfies Changes }

  test('stays open as a note if later reviews do not mention it, even if they approve', () => {
    const [, late] = after(first, second, { issues: [], verdict: 'APPROVED', changes: everything })
    expect(late).toMatchObject({ status: 'open', severity: 'advisory', late: true })
  })

  test('does not block just because it is repeated', () => {
    const [, late] = after(first, second, { issues: [leak, nit], changes: { 'src/a.ts': [[1, 9]] } })
    expect(late).toMatchObject({ severity: 'advisory', late: true })
  })

  test('blocks once its lines have changed and the reviewer still calls it blocking', () => {
    const [, late] = after(first, second, { issues: [leak, nit], changes: { 'src/b.ts': [[5, 5]] } })
    expect(late).toMatchObject({ severity: 'blocking', late: false })
  })

  test('blocks once the reviewer reports it as a bug with file and line', () => {
    const shown = {
      ...nit,
      id: '2',
      type: 'bug',
      description: 'The name hides a built-in, so parsing fails.',
    } as const
    const [, late] = after(first, second, { issues: [leak, shown], changes: {} })
    expect(late).toMatchObject({ number: 2, severity: 'blocking', type: 'bug', late: false })
  })

  test('is resolved if the reviewer marks it as resolved', () => {
    const [, late] = after(first, second, { issues: [{ id: '2', status: 'resolved', description: '' }] })
    expect(late).toMatchObject({ status: 'resolved' })
  })
})
