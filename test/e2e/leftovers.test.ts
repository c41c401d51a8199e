/** A worker that dies leaves things running. The next worker stops them before it continues. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fileAppears, isRunning, openBench } from '../support/umpire.ts'

test('ends a gate that a killed worker left running, before the gate runs again', async () => {
  // The first run hangs. The second run fails if the first one is still there.
  const gate =
    'if test -e "$BENCH/pid"; then ! kill -0 "$(cat "$BENCH/pid")"; else echo $$ > "$BENCH/pid.new"; mv "$BENCH/pid.new" "$BENCH/pid"; sleep 600; fi'
  const bench = openBench({ config: { gates: { alone: gate }, max_gate_failures: 1 } })
  await bench.add('Checked twice')
  const killed = bench.start('work')
  await fileAppears(join(bench.folder, 'pid'))
  killed.kill('SIGKILL')
  await killed.ended
  const pid = readFileSync(join(bench.folder, 'pid'), 'utf8').trim()
  expect(isRunning(pid)).toBe(true)
  expect(await bench.umpire('work')).toMatchObject({ code: 0, stderr: '' })
  expect(isRunning(pid)).toBe(false)
  expect(await bench.show(1)).toMatchObject({
    status: 'completed',
    gates: [{ name: 'alone', passed: true }],
  })
})
