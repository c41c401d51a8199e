import { readAccounts } from '../../app/read-accounts.ts'
import type { Account } from '../../core/schedule/budget.ts'
import { statisticsOf } from '../../core/statistics.ts'
import type { TaskSummary } from '../../core/summary.ts'
import type { UsageRow } from '../../store/archive.ts'
import { renderStatistics } from '../../view/render-statistics.ts'
import type { Invocation } from '../invocation.ts'
import { outputPaint } from '../screen/colours.ts'
import { print, printJson } from '../screen/print.ts'
import { readStore } from '../with-store.ts'

export async function stats(options: { json?: boolean }, invocation: Invocation): Promise<void> {
  const nothing: [TaskSummary[], UsageRow[], Account[]] = [[], [], []]
  const [tasks, usage, budgets] = await readStore(
    invocation,
    async (store, repository) => {
      const { archive } = store
      return Promise.all([archive.tasks(), archive.usage(), readAccounts(store, repository)])
    },
    () => nothing,
  )
  const statistics = statisticsOf(tasks)
  if (options.json) return printJson({ ...statistics, usage, budgets }, invocation)
  print(renderStatistics(statistics, usage, outputPaint(invocation), budgets), invocation)
}
