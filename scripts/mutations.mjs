/**
 * Shows that every safety step is held by a test: each is taken out in a copy of the source tree, and the tests named
 * beside it must then fail. The same tests must pass on the copy as it is, or their failing would prove nothing. The
 * tree itself is never touched.
 *
 *   node scripts/mutations.mjs [WORD...]     only the mutations whose name contains one of the words
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')

/** @typedef {{ name: string, file: string, replace: string, by: string, tests: string[] }} Mutation */
/** @type {Mutation[]} */
const mutations = [
  {
    name: 'the keeper runs the agent although another keeper has the link',
    file: 'src/attempts/keeper.sh',
    replace: '[ "$k_winner" = "$k_mark" ] && return\n',
    by: 'return 0\n',
    tests: ['test/attempts', '-t', 'however often it is started|after a kill before the start'],
  },
  {
    name: 'a worker that was taken over goes on appending',
    file: 'src/loop/review-loop.ts',
    replace: 'if (known.claim?.worker !== claim.worker) {',
    by: 'if (known.claim === undefined) {',
    tests: ['test/crash/freeze.test.ts', '-t', 'frozen anywhere'],
  },
  {
    name: 'a worker that was taken over goes on changing the world',
    file: 'src/loop/guard-ports.ts',
    replace: 'if (loop?.claim?.worker !== worker)',
    by: "if (loop === undefined && worker === '')",
    tests: ['test/crash/freeze.test.ts', '-t', 'frozen anywhere|its own git'],
  },
  {
    name: 'a worker that lost its hold claims all the same',
    file: 'src/loop/review-loop.ts',
    replace: '    await claim.confirm()\n',
    by: '',
    tests: ['test/crash/freeze.test.ts', '-t', 'frozen before it has claimed'],
  },
  {
    name: "a commit's trailer is not looked at",
    file: 'src/vcs/git-message.ts',
    replace: "return message.split('\\n').includes(trailerOf(attempt))",
    by: "return message.split('\\n').includes('') && trailerOf(attempt) === ''",
    tests: ['test/vcs/git-commit.test.ts', '-t', 'after a crash'],
  },
  {
    name: 'a hand-in counts whatever its token',
    file: 'src/loop/attend-session.ts',
    replace: 'sha256(handIn.token) === session.tokenHash',
    by: "sha256(handIn.token) !== ''",
    tests: ['test/crash/agents.test.ts', '-t', 'another token'],
  },
  {
    name: 'an approval counts whatever tree it speaks of',
    file: 'src/core/decide-verdict.ts',
    replace: 'if (review.tree !== tree)',
    by: "if (review.tree === '')",
    tests: ['test/core/decide-review.test.ts', '-t', 'another tree'],
  },
  {
    name: 'what a dead worker left is not cleared away',
    file: 'src/loop/review-loop.ts',
    replace: '  await clearLeftovers(loop, ports)\n',
    by: '  void clearLeftovers\n',
    tests: ['test/crash/sweep.test.ts', '-t', 'to the world'],
  },
  {
    name: 'the locks of a git that was killed stay',
    file: 'src/vcs/git-recover.ts',
    replace: '    await rm(lock, { force: true })\n',
    by: '    void rm\n',
    tests: ['test/crash/sweep.test.ts', '-t', 'its own git'],
  },
  {
    name: 'what the gates say of the merged tree does not count for landing',
    file: 'src/loop/land.ts',
    replace: 'if (failed.length > 0) return',
    by: 'if (failed.length < 0) return',
    tests: ['test/e2e/landing-conflicts.test.ts', '-t', 'only on the merged tree'],
  },
  {
    name: 'a branch that nobody reviewed as it is now is landing',
    file: 'src/loop/land.ts',
    replace: '  await checkBranch(loop, ports)\n',
    by: '  void checkBranch\n',
    tests: ['test/e2e/landing-dirty.test.ts', '-t', 'since its approval'],
  },
  {
    name: 'marks of conflicts are committed before landing',
    file: 'src/vcs/git-commit.ts',
    replace: '  await requireResolved(checkout, seen)\n',
    by: '  void requireResolved\n',
    tests: ['test/e2e/landing-conflicts.test.ts', '-t', 'resolved but not committed'],
  },
  {
    name: 'changes in the checkout do not keep a landing away',
    file: 'src/vcs/git-advance-base.ts',
    replace: 'if (changed.length === 0 || (await holdsAlready(git, path, to))) return null',
    by: 'if (changed.length >= 0 || (await holdsAlready(git, path, to))) return null',
    tests: ['test/e2e/landing-dirty.test.ts', '-t', 'not staged'],
  },
]

const words = process.argv.slice(2)
const chosen = mutations.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)))
const parts = [
  'src',
  'test',
  'scripts',
  'checker',
  'package.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'vitest.config.ts',
]
const copy = mkdtempSync(join(tmpdir(), 'umpire-mutations-'))
let caught = 0
try {
  for (const name of parts) cpSync(join(root, name), join(copy, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  // All are looked for before the first is tried.
  for (const mutation of chosen) mutate(mutation)
  build()
  for (const tests of new Map(chosen.map((each) => [each.tests.join(' '), each.tests])).values()) {
    if (!pass(tests)) throw new Error(`fails without any mutation: vitest run ${tests.join(' ')}`)
  }
  for (const mutation of chosen) {
    const path = join(copy, mutation.file)
    const text = readFileSync(path, 'utf8')
    writeFileSync(path, mutate(mutation))
    build()
    const survived = pass(mutation.tests)
    console.log(`${survived ? 'SURVIVED' : 'caught  '}  ${mutation.name}`)
    if (!survived) caught += 1
    writeFileSync(path, text)
  }
} finally {
  rmSync(copy, { recursive: true, force: true })
}
console.log(`${caught} of ${chosen.length} mutations were caught`)
process.exitCode = caught === chosen.length && caught > 0 ? 0 : 1

/**
 * The text of the mutated file. Fails aloud when the step to be taken out is not where it was.
 * @param {Mutation} mutation
 */
function mutate({ file, replace, by }) {
  const text = readFileSync(join(copy, file), 'utf8')
  if (text.split(replace).length !== 2) throw new Error(`${file} does not hold exactly once: ${replace}`)
  return text.replace(replace, () => by)
}

function build() {
  const { status, stderr } = run([process.execPath, 'scripts/build.mjs'])
  if (status !== 0) throw new Error(`the mutated tree does not build:\n${stderr}`)
}

/** @param {string[]} tests */
function pass(tests) {
  return run([process.execPath, 'node_modules/vitest/vitest.mjs', 'run', ...tests]).status === 0
}

/** @param {string[]} argv */
function run([program = '', ...args]) {
  // Fewer instants than in CI are enough to notice a missing step.
  return spawnSync(program, args, { cwd: copy, encoding: 'utf8', env: { ...process.env, SWEEP_SIZE: '20' } })
}
