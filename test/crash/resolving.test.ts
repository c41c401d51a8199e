/** A few instants of resolving a conflict, for every run of the tests. */
import { describeResolving } from './describe-resolving.ts'

describeResolving({ appends: 1, merges: 2, calls: 0 })
