/** A few instants at which a worker is frozen, for every run of the tests. */
import { describeFreeze } from './describe-freeze.ts'

describeFreeze({ anywhere: 1, git: 1, announced: 1, phases: ['gate'] })
