import { statisticsOf } from '../core/statistics.ts'
import type { TaskSummary } from '../core/summary.ts'
import type { UsageRow } from '../store/archive.ts'
import { renderStatistics } from '../view/statistics-page.ts'
import { outputPaint } from './colours.ts'
import { print, printJson } from './print.ts'
import { readStore } from './with-store.ts'

export async function stats(options: { json?: boolean }): Promise<void> {
  const nothing: [TaskSummary[], UsageRow[]] = [[], []]
  const [tasks, usage] = await readStore(
    async ({ archive }) => Promise.all([archive.tasks(), archive.usage()]),
    () => nothing,
  )
  const statistics = statisticsOf(tasks)
  if (options.json) return printJson({ ...statistics, usage })
  print(renderStatistics(statistics, usage, outputPaint()))
}
