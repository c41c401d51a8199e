/** Developers that wait until the test lets them go on, and how the tasks stand meanwhile. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Bench, fileAppears, type Part } from './umpire.ts'

/** A developer that says that it began, and goes on when it is let. */
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
