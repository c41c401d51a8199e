import { UserError } from '../core/errors.ts'
import { type Account, calendarDay } from '../core/schedule/budget.ts'
import type { Store } from '../store/store.ts'
import { readConfig } from './read-config.ts'
import type { Repository } from './repository.ts'

/**
 * The state of the configured budgets: of the most expensive task, of the latest run, and of today. The list is empty if
 * the configuration can't be read, because that must not stop a command that only reads.
 */
export async function readAccounts({ spending }: Store, repository: Repository): Promise<Account[]> {
  try {
    const { budget } = (await readConfig(repository)).config
    const { task, run } = await spending.notable()
    return await spending.accounts(budget, { task, run, day: calendarDay(new Date()) })
  } catch (error) {
    if (error instanceof UserError) return []
    throw error
  }
}
