/** Developers that wait until the test releases them, and the state of the tasks meanwhile. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Bench, fileAppears, type Part } from './umpire.ts'

/** A developer that announces its start and continues when released. */
export const gated = (task: number): Part => ({
  task,
  do: [
    { touch: `$BENCH/begun-${task}` },
    { await: `$BENCH/go-${task}` },
    { write: { [`work-${task}.txt`]: 'done\n' } },
  ],
})

export const begun = (bench: Bench, ...tasks: number[]) =>
  Promise.all(tasks.map((task) => fileAppears(join(bench.folder, `begun-${task}`))))
export const go = (bench: Bench, ...tasks: number[]) => {
  for (const task of tasks) writeFileSync(join(bench.folder, `go-${task}`), '')
}

export const statuses = async (bench: Bench) =>
  (await bench.umpire('status', '--all', '--json'))
    .json<{ tasks: { id: number; status: string; reason: string | null }[] }>()
    .tasks.map(({ id, status, reason }) => `${id} ${status}${reason ? ` ${reason}` : ''}`)
