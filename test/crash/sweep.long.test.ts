/** The sweep over every append and many of the calls. */
import { describeSweep } from './describe-sweep.ts'

const size = Number(process.env.SWEEP_SIZE ?? 24)

describeSweep({ appends: Number.POSITIVE_INFINITY, calls: size, git: size })
