import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // What takes longer is run by `npm run test:all`: see vitest.long.config.ts.
    exclude: ['test/**/*.long.test.ts'],
    // Only what hangs takes as long: how fast the machine is must not decide what passes.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // Tests start real processes and real git; more workers than cores only makes them wait for each other.
    maxWorkers: 3,
    // The build is run as it is, and need not be transformed again for each test file.
    server: { deps: { external: [/\/dist\/[^/]+\.js$/] } },
    setupFiles: ['test/support/setup.ts'],
  },
})
