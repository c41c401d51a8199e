/** What `npm run test:all` adds to `npm test`: full sweeps, and random cases in large numbers. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig, mergeConfig } from 'vitest/config'
import usual from './vitest.config.ts'

const files = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => join('test', name))
const isLong = (file: string) =>
  file.endsWith('.long.test.ts') || readFileSync(file, 'utf8').includes('/support/random.ts')

const longer = mergeConfig(usual, defineConfig({ test: { env: { TEST_EXTENT: 'long' } } }))
const { projects: _, ...settings } = longer.test
export default { ...longer, test: { ...settings, include: files.filter(isLong), exclude: [] } }
