/** A few instants of the sweep, for every run of the tests. */
import { describeSweep } from './describe-sweep.ts'

describeSweep({ appends: 2, calls: 2, git: 2 })
