/** Landings, killed around every append and every move of the base. */
import { describeLanding } from './describe-landing.ts'

const size = Number(process.env.SWEEP_SIZE ?? 8)
const all = Number.POSITIVE_INFINITY

describeLanding({ appends: all, towards: all, moves: all, calls: size, git: size, frozen: 3 })
