/** Every task that waits for a person says what happened, what was kept, and what to type. */
import { expect, test } from 'vitest'
import { applyChange, type Loop } from '../../src/core/loop.ts'
import { recoveryFrom } from '../../src/core/person/recovery.ts'
import { summarise, type TaskSummary } from '../../src/core/summary.ts'
import type { BlockReason, FailReason } from '../../src/core/task.ts'
import { widthOf } from '../../src/lib/text/columns.ts'
import { personNeeded, personNeededLines } from '../../src/view/person-needed.ts'
import { judges, requests, times } from '../core/turns.ts'
import { World } from '../core/world.ts'

const blocks: Record<BlockReason, true> = {
  ...{
    max_cycles: true,
    changes_requested: true,
    needs_discussion: true,
    rejected: true,
    malformed_review: true,
  },
  ...{ stalled: true, churning: true, gate: true, budget: true, conflict: true, reviewer_tampered: true },
  ...{ dependency: true, timeout: true, checkout_dirty: true },
}
const fails: Record<FailReason, true> = {
  ...{ crash: true, idle: true, rate_limited: true, auth: true, overloaded: true, timeout: true },
  ...{ vcs: true, disk: true },
}

const worked = new World().play({ reviewer: times(3, requests()) }).loop

function stopped(status: 'blocked' | 'failed', reason: BlockReason | FailReason): TaskSummary {
  const loop: Loop = applyChange(worked, { standing: { status, reason, detail: 'Something\nhappened.' } })
  return summarise(applyChange(loop, { standing: { recovery: recoveryFrom(reason, loop) } }))
}

const everyStop = [
  ...(Object.keys(blocks) as BlockReason[]).map((reason) => stopped('blocked', reason)),
  ...(Object.keys(fails) as FailReason[]).map((reason) => stopped('failed', reason)),
]

test.each(everyStop)('$status: $reason', (task) => {
  const needed = personNeeded(task, 2)
  expect(needed).toMatchObject({
    happened: 'Something\nhappened.',
    kept: 'branch umpire/7-add with 2 commits, and its worktree',
  })
  expect(needed?.next.length).toBeGreaterThan(0)
  for (const command of needed?.next ?? []) expect(command).toMatch(/^(umpire|git) /)
  const [told, next] = personNeededLines(task, 120)
  expect(told).toBe('    Something happened. Kept: branch umpire/7-add and its worktree.')
  expect(next).toMatch(/^ {4}next: (umpire|git) /)
})

test('a task that waits for a review says so', () => {
  const { loop } = new World({ trigger: 'explicit' }).play()
  expect(loop.standing.status).toBe('awaiting_review')
  expect(personNeeded(summarise(loop))).toMatchObject({
    happened: 'The work is done and waits for a review.',
    next: expect.arrayContaining(['umpire review 7']),
  })
})

test('a task that needs no person says nothing', () => {
  const { loop } = new World().play()
  for (const status of ['pending', 'in_progress', 'completed', 'cancelled'] as const) {
    expect(personNeeded(summarise(applyChange(loop, { standing: { status } })))).toBe(null)
    expect(personNeededLines(summarise(applyChange(loop, { standing: { status } })), 80)).toEqual([])
  }
})

test('a task that never started kept nothing', () => {
  const task = { ...stopped('failed', 'vcs'), iteration: 0, cycle: 0 }
  expect(personNeeded(task)?.kept).toBe(null)
  expect(personNeededLines(task, 80)[0]).toBe('    Something happened.')
})

test('the lines fit the width, and the first command is always complete', () => {
  const detail = 'The reviewer wants a person. '.repeat(20)
  const task = summarise(
    applyChange(new World().play({ reviewer: [judges({ verdict: 'REJECTED' })] }).loop, {
      standing: { detail },
    }),
  )
  for (const columns of [50, 60, 79, 120, 200]) {
    const lines = personNeededLines(task, columns)
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(columns)
    expect(lines.join('\n')).toContain('Kept: branch umpire/7-add and its worktree.')
    expect(lines.at(-1)).toContain(`next: ${task.recovery[0]}`)
  }
  expect(personNeededLines(task, 12).at(-1)).toBe(`    next: ${task.recovery[0]}`)
})

test('the remedy stays readable at the end of a long message', () => {
  const detail = `${'The login was refused by the provider. '.repeat(4)}To log in: run it.`
  const lines = personNeededLines({ ...stopped('failed', 'auth'), detail }, 70)
  expect(lines.join(' ').replace(/\s+/g, ' ')).toContain(`${detail} Kept: `)
})

test('foreign text is shown without control characters', () => {
  const [told = ''] = personNeededLines(
    { ...stopped('failed', 'crash'), detail: 'a\u001b[2J\nb\u202e\u0007' },
    120,
  )
  expect(told).toMatch(/^ {4}a b Kept: /)
})
