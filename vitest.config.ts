import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Tests start real processes and real git; more workers than cores only makes them wait for each other.
    maxWorkers: 3,
    setupFiles: ['test/support/setup.ts'],
  },
})
