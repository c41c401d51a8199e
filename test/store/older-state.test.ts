/** A database that an older version wrote is migrated, and the state that it had folded is folded again. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { newTask } from '../../src/core/task.ts'
import { openDatabase } from '../../src/store/sqlite/database.ts'
import { openStore } from '../../src/store/sqlite/open-store.ts'

const firstTables =
  /^(events|tasks|loops|runs|sessions|loop_reviews|review_issues|gate_results|messages|offers|claims|sqlite_.*)$/

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'umpire-store-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('folds the state of a loop again from the journal if an older version folded it', async () => {
  const path = join(folder, 'umpire.db')
  const before = await openStore({ path })
  await before.journal.append('task/1', 0, {
    type: 'task.added',
    data: { task: newTask('Greet'), by: 'ada' },
  })
  const folded = await before.archive.loop(1)
  const shown = await before.archive.tasks()
  await before.close()

  const older = await openDatabase({ path })
  await older.write('durable', () => {
    older
      .sql(`UPDATE tasks SET summary = json_remove(summary, '$.heldBy', '$.behind', '$.hand', '$.target')`)
      .run()
    older.sql(`UPDATE loops SET state = '{"id":1,"version":1,"shape":"of an older version"}'`).run()
    // Remove what later versions added.
    const tables = older.sql<{ name: string }>(`SELECT name FROM sqlite_master WHERE type = 'table'`).all()
    for (const { name } of tables) if (!firstTables.test(name)) older.sql(`DROP TABLE ${name}`).run()
    older.sql('DROP INDEX loop_reviews_by_loop').run()
    for (const name of ['parsed_by', 'seats']) older.sql(`ALTER TABLE loop_reviews DROP COLUMN ${name}`).run()
    older.sql('ALTER TABLE sessions DROP COLUMN reserved_usd').run()
    for (const index of ['run', 'end', 'role']) older.sql(`DROP INDEX sessions_by_${index}`).run()
    older.sql('PRAGMA user_version = 1').run()
  })
  older.close()

  const now = await openStore({ path })
  expect(await now.archive.loop(1)).toEqual(folded)
  expect(await now.archive.tasks()).toEqual(shown)
  await now.journal.append('task/1', 1, {
    type: 'task.changed',
    data: { changes: { title: 'Greet all' }, by: 'ada' },
  })
  expect(await now.archive.loop(1)).toMatchObject({ version: 2, task: { title: 'Greet all' }, asked: null })
  await now.close()
})
