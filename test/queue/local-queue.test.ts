import { resolve } from 'node:path'
import { describeWorkSource } from '../contract/work-source.ts'
import { open } from '../fixtures/queue/local.ts'

describeWorkSource('the local queue', {
  adapter: resolve(import.meta.dirname, '../fixtures/queue/local.ts'),
  open,
})
