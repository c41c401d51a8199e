import { expect, test } from 'vitest'
import { applyChange, type Loop } from '../../src/core/loop.ts'
import { recoveryFrom } from '../../src/core/person/recovery.ts'
import { noSuchModel } from '../../src/core/policy/failure.ts'
import { fails } from './turns.ts'
import { World } from './world.ts'

const crashed = (role: 'developer' | 'reviewer'): Loop =>
  new World({ agentRetries: 0 }).play({ [role]: [fails()] }).loop

const withDetail = (loop: Loop, detail: string): Loop => {
  const { last } = loop.turn.tries
  if (!last) throw new Error('nothing failed')
  return applyChange(loop, { turn: { tries: { ...loop.turn.tries, last: { ...last, detail } } } })
}

test('suggests another model for the right role if a model does not exist', () => {
  const detail = `${noSuchModel}: set another model for the role.`
  const first = (loop: Loop) => recoveryFrom('crash', loop)[0]
  expect(first(withDetail(crashed('developer'), detail))).toBe('umpire edit 7 --model NAME')
  expect(first(withDetail(crashed('reviewer'), detail))).toBe('umpire edit 7 --review-model NAME')
  expect(first(crashed('developer'))).toBe('umpire log 7')
})

test('points to the developer’s log if the developer changed nothing', () => {
  expect(recoveryFrom('stalled', crashed('reviewer'))[0]).toBe('umpire log 7 --role developer')
})
