import { formatIdentity, identify, isAlive, parseIdentity } from '../../lib/process/process-identity.ts'
import type { PortRange, PortRanges } from '../port-ranges.ts'
import type { Database } from './database.ts'
import { loopsTable } from './loops-table.ts'

interface Row {
  id: number
  task_id: number
  first: number
  count: number
  owner: string
}

export function sqlitePortRanges(database: Database): PortRanges {
  const loops = loopsTable(database)
  const self = identify()
  const owner = self ? formatIdentity(self) : ''

  function isInUse(row: Row): boolean {
    const identity = parseIdentity(row.owner)
    if (identity && isAlive(identity)) return true
    // Its worker was killed, and its agent runs on by itself until another worker takes over.
    return hasRunningAgent(row.task_id)
  }

  function hasRunningAgent(task: number): boolean {
    const loop = loops.load(task)
    return loop !== null && (loop.turn.session !== null || loop.turn.beside.length > 0)
  }

  function insert(task: number, first: number, count: number): number {
    // The new row gets a new number, which tells the previous worker that the range is no longer its own.
    const row = database
      .sql<{ id: number }>(
        'INSERT OR REPLACE INTO port_ranges (task_id, first, count, owner) VALUES (?, ?, ?, ?) RETURNING id',
      )
      .get(task, first, count, owner)
    if (!row) throw new Error('SQLite returned no number for a new row.')
    return row.id
  }

  return {
    take: (task, count, candidates) =>
      database.write('lazy', (): PortRange | null => {
        const rows = database.sql<Row>('SELECT id, task_id, first, count, owner FROM port_ranges').all()
        const own = rows.find((row) => row.task_id === task)
        // The running agent was told these numbers.
        if (own && hasRunningAgent(task)) {
          const { first, count } = own
          return { id: insert(task, first, count), first, count, kept: true }
        }
        const others = rows.filter((row) => row.task_id !== task)
        const taken = others.filter(isInUse)
        for (const { id } of others.filter((row) => !taken.includes(row)))
          database.sql('DELETE FROM port_ranges WHERE id = ?').run(id)
        const isFree = (first: number) =>
          taken.every((row) => first + count <= row.first || row.first + row.count <= first)
        const first = candidates.find(isFree)
        return first === undefined ? null : { id: insert(task, first, count), first, count, kept: false }
      }),

    release: ({ id }) =>
      database.write('lazy', () => {
        database.sql('DELETE FROM port_ranges WHERE id = ?').run(id)
      }),
  }
}
