/** Agents that print far too much. FLOOD=full makes it a line of 200 MB and 1 GB in total. */
import { describeOutput } from './describe-output.ts'

const amounts = process.env.FLOOD === 'full' ? { line: 200, total: 1_000 } : { line: 60, total: 200 }

describeOutput({ ...amounts, tiny: 1_000_000 })
