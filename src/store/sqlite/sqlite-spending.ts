/** What was spent, from the sessions in the journal, and what was granted since, in rows of its own. */
import {
  type Account,
  budgetNames,
  decideReservation,
  expectedCost,
  type Grant,
  warningName,
  warningsOf,
} from '../../core/schedule/budget.ts'
import { formatIdentity, identify, isAlive, parseIdentity } from '../../lib/process/process-identity.ts'
import type { AccountsOf, ReservationRequest, Spending, SpendingRequest } from '../spending.ts'
import type { Database } from './database.ts'
import { loopsTable } from './loops-table.ts'

/** How many of the latest sessions are used to estimate the cost of the next. */
const looksBack = 20

type Used = Pick<Account, 'spent' | 'reserved' | 'guessed' | 'uncounted'>

interface Pending {
  session_id: string
  task_id: number
  run_id: number | null
  worker: string
  usd: number
  warned: string
  owner: string
}

export function sqliteSpending(database: Database): Spending {
  const loops = loopsTable(database)
  const self = identify()
  const owner = self ? formatIdentity(self) : ''

  /** Grants to sessions that the journal does not contain yet, and that may still be started. */
  function pending(): Pending[] {
    return database
      .sql<Pending>(
        `SELECT session_id, task_id, run_id, worker, usd, warned, owner FROM reservations
        WHERE session_id NOT IN (SELECT id FROM sessions)`,
      )
      .all()
      .filter((row) => isLiving(row.owner) && loops.load(row.task_id)?.claim?.worker === row.worker)
  }

  function isLiving(text: string): boolean {
    const identity = text === owner ? null : parseIdentity(text)
    return text === owner || (identity !== null && isAlive(identity))
  }

  /**
   * A session that ended without reporting its cost has spent its reservation. A session from before there were
   * reservations counts as nothing.
   */
  function booked(where: string, value: string | number | null): Used {
    const row = database
      .sql<Required<Used>>(
        `SELECT total(CASE WHEN ended_at IS NOT NULL THEN coalesce(cost_usd, reserved_usd) END) AS spent,
          total(CASE WHEN ended_at IS NULL THEN reserved_usd END) AS reserved,
          total(CASE WHEN ended_at IS NOT NULL AND cost_usd IS NULL THEN reserved_usd END) AS guessed,
          count(CASE WHEN ended_at IS NOT NULL AND cost_usd IS NULL AND reserved_usd IS NULL THEN 1 END) AS uncounted
        FROM sessions WHERE ${where}`,
      )
      .get(value)
    const { spent, reserved, guessed, uncounted } = row ?? { spent: 0, reserved: 0, guessed: 0, uncounted: 0 }
    return { spent, reserved, ...(guessed > 0 && { guessed }), ...(uncounted > 0 && { uncounted }) }
  }

  function accountsOf(limits: SpendingRequest['limits'], of: AccountsOf, granted: Pending[]): Account[] {
    const sum = (rows: Pending[]) => rows.reduce((all, { usd }) => all + usd, 0)
    return budgetNames.flatMap((budget): Account[] => {
      const limit = limits[budget]
      if (limit === null) return []
      if (budget === 'day') {
        // A running session counts on the day on which it ends, and that is today or later.
        const used = booked('ended_at IS NULL OR ended_at >= ?', of.day.since)
        return [{ budget, of: of.day.name, limit, ...used, reserved: used.reserved + sum(granted) }]
      }
      const id = of[budget]
      const used = booked(`${budget}_id = ?`, id)
      const mine = granted.filter((row) => row[`${budget}_id`] === id)
      return [{ budget, of: String(id ?? 'to come'), limit, ...used, reserved: used.reserved + sum(mine) }]
    })
  }

  function knownCosts(where: string, values: (string | null)[]): number[] {
    return database
      .sql<{ usd: number }>(
        `SELECT cost_usd AS usd FROM sessions WHERE role = ?1 AND status = 'done' AND cost_usd IS NOT NULL ${where}
        ORDER BY seq DESC LIMIT ${looksBack}`,
      )
      .all(...values)
      .map(({ usd }) => usd)
  }

  /** Failed sessions are left out: most of them cost nothing. */
  function history({ role, agent, model }: SpendingRequest): { alike: number[]; role: number[] } {
    const alike = knownCosts('AND agent = ?2 AND (?3 IS NULL OR model = ?3)', [role, agent, model])
    return { alike, role: alike.length > 0 ? [] : knownCosts('', [role]) }
  }

  function judge(request: SpendingRequest, granted: Pending[]): { grant: Grant; accounts: Account[] } {
    const accounts = accountsOf(request.limits, request, granted)
    return { grant: decideReservation(expectedCost(request.role, history(request)), accounts), accounts }
  }

  function untold(run: number | null): { of: string; sessions: number } {
    const row = database
      .sql<{ sessions: number }>(
        `SELECT count(*) AS sessions FROM sessions
        WHERE run_id = ? AND ended_at IS NOT NULL AND cost_usd IS NULL AND reserved_usd IS NOT NULL`,
      )
      .get(run)
    return { of: String(run), sessions: row?.sessions ?? 0 }
  }

  /** Warnings already given: in the journal, or with a session that is about to be appended. */
  function saidBefore(granted: Pending[]): Set<string> {
    const rows = database.sql<{ data: string }>(`SELECT data FROM events WHERE type = 'budget.warned'`).all()
    const about: string[] = granted.flatMap(({ warned }) => JSON.parse(warned))
    return new Set([...rows.map(({ data }) => warningName(JSON.parse(data))), ...about])
  }

  return {
    reserve(request) {
      // Without a limit there is nothing to compete for.
      if (budgetNames.every((budget) => request.limits[budget] === null))
        return database.read(() => ({ grant: judge(request, []).grant, warnings: [], withoutOwn: [] }))
      return database.write('lazy', () => {
        // A retry of a session replaces the reservation of the one before.
        const granted = pending().filter(({ session_id }) => session_id !== request.session)
        const { grant, accounts } = judge(request, granted)
        const told = warningsOf(accounts, grant, untold(request.run))
        const said = told.length > 0 ? saidBefore(granted) : new Set()
        const warnings = told.filter((warning) => !said.has(warningName(warning)))
        const names = warnings.map(warningName)
        keep(grant.kind === 'granted' ? [...granted, row(request, grant.usd, names, owner)] : granted)
        const others = granted.filter(({ task_id }) => task_id !== request.task)
        return { grant, warnings, withoutOwn: accountsOf(request.limits, request, others) }
      })
    },
    estimate: (request) => database.read(() => judge(request, pending())),
    accounts: (limits, of) => database.read(() => accountsOf(limits, of, pending())),
    notable: () =>
      database.read(() => {
        const run = database.sql<{ id: number | null }>('SELECT max(run_id) AS id FROM sessions').get()
        const task = database
          .sql<{ id: number }>(
            `SELECT task_id AS id FROM sessions GROUP BY task_id
            ORDER BY total(coalesce(cost_usd, reserved_usd)) DESC, task_id LIMIT 1`,
          )
          .get()
        return { run: run?.id ?? null, task: task?.id ?? null }
      }),
  }

  /** Also deletes reservations that are void by now. */
  function keep(rows: Pending[]): void {
    database.sql('DELETE FROM reservations').run()
    const insert = database.sql(
      `INSERT INTO reservations (session_id, task_id, run_id, worker, usd, warned, owner) VALUES (?, ?, ?, ?, ?, ?, ?)`,
    )
    for (const { session_id, task_id, run_id, worker, usd, warned, owner } of rows)
      insert.run(session_id, task_id, run_id, worker, usd, warned, owner)
  }
}

function row(
  { session, task, run, worker }: ReservationRequest,
  usd: number,
  warned: string[],
  owner: string,
): Pending {
  return {
    ...{ session_id: session, task_id: task, run_id: run, worker },
    ...{ usd, warned: JSON.stringify(warned), owner },
  }
}
