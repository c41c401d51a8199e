/** A worker frozen at many instants. */
import { describeFreeze } from './describe-freeze.ts'

const size = Number(process.env.SWEEP_SIZE ?? 16)

describeFreeze({
  anywhere: size,
  git: size / 2,
  announced: 5,
  phases: ['developer-1', 'gate', 'reviewer-2', 'developer-3'],
})
