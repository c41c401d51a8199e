import { resolve } from 'node:path'
import { describeJournal } from '../contract/journal.ts'
import { open } from '../fixtures/store/sqlite.ts'

describeJournal('the SQLite store', {
  adapter: resolve(import.meta.dirname, '../fixtures/store/sqlite.ts'),
  open,
})
