import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['e2e/*.test.ts'],
    root: `${import.meta.dirname}/..`,
    testTimeout: 240_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    setupFiles: ['test/support/setup.ts'],
  },
})
