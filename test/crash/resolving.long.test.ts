/** Kills Umpire at many instants while a conflict is resolved, and around every step of the merge. */
import { describeResolving } from './describe-resolving.ts'

const size = Number(process.env.SWEEP_SIZE ?? 8)

describeResolving({ appends: size, merges: Number.POSITIVE_INFINITY, calls: Math.ceil(size / 2) })
