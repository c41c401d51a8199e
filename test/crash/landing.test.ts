/** A few instants of landing, for every run of the tests. */
import { describeLanding } from './describe-landing.ts'

describeLanding({ appends: 1, towards: 1, moves: 1, calls: 1, git: 1, frozen: 2 })
