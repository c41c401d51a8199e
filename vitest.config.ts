import { defineConfig } from 'vitest/config'

/** What takes longer is run by `npm run test:all`: see vitest.long.config.ts. */
const long = 'test/**/*.long.test.ts'

/**
 * Folders whose tests share nothing but code: no repository, no bench, no hook in a module that several of them import.
 * Their files follow each other in the same workers, which saves loading that code for each of them.
 */
const pure = ['agents', 'config', 'core', 'lib', 'plan', 'prompts', 'queue', 'setup', 'store', 'verdicts']
  .concat('view', 'weakened-tests')
  .map((folder) => `test/${folder}/**/*.test.ts`)

export default defineConfig({
  test: {
    // Only what hangs takes as long: how fast the machine is must not decide what passes.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // Tests start real processes and real git; more workers than cores only makes them wait for each other.
    maxWorkers: 3,
    // The build is run as it is, and need not be transformed again for each test file.
    server: { deps: { external: [/\/dist\/[^/]+\.js$/] } },
    setupFiles: ['test/support/setup.ts'],
    // In the order of their names: the many short files come last, so that no worker ends long before the others.
    projects: [
      {
        extends: true,
        test: { name: 'apart', include: ['test/**/*.test.ts'], exclude: [long, ...pure] },
      },
      { extends: true, test: { name: 'shared', include: pure, exclude: [long], isolate: false } },
    ],
  },
})
