/**
 * Benchmarks. Each compares two things measured in turns in the same run, because machines are noisy. None of them is a
 * test. Prints a table, or JSON with --json. Arguments select benchmarks by name.
 */
import { measureIdle } from './idle.mjs'
import { measureKeeper } from './keeper.mjs'
import { measureLanding } from './landing.mjs'
import { measureLoop } from './loop.mjs'
import { measureMany } from './many.mjs'
import { measureScaling } from './scaling.mjs'
import { measureStartUp } from './start-up.mjs'
import { measureStatus } from './status.mjs'
import { measureTranscript } from './transcript.mjs'

const benchmarks = {
  status: measureStatus,
  many: measureMany,
  loop: measureLoop,
  transcript: measureTranscript,
  idle: measureIdle,
  keeper: measureKeeper,
  'start-up': measureStartUp,
  scaling: measureScaling,
  landing: measureLanding,
}

const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
const unknown = wanted.filter((name) => !(name in benchmarks))
if (unknown.length > 0) throw new Error(`no such benchmark: ${unknown}; there are ${Object.keys(benchmarks)}`)

const results = []
for (const [name, measure] of Object.entries(benchmarks)) {
  if (wanted.length === 0 || wanted.includes(name)) results.push(...[await measure()].flat())
}

if (process.argv.includes('--json')) console.log(JSON.stringify(results, null, 2))
else console.table(Object.fromEntries(results.map(({ name, ...figures }) => [name, figures])))
