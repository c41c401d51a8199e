/**
 * Shows that a test protects every safety step. It removes each step in a copy of the source tree, and the tests named
 * next to that step must then fail. The same tests must pass on the unchanged copy, or their failure would prove
 * nothing. The tree itself is never touched.
 *
 *   node scripts/mutations.mjs [WORD...]     only the mutations whose area or name contains one of the words
 *   node scripts/mutations.mjs --check       only checks that the code still contains what each mutation removes
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { attempts } from './mutations/attempts.mjs'
import { decide } from './mutations/decide.mjs'
import { landing } from './mutations/landing.mjs'
import { store } from './mutations/store.mjs'
import { verdicts } from './mutations/verdicts.mjs'

const root = resolve(import.meta.dirname, '..')

/**
 * `replace` is a piece of code that occurs exactly once in src/, in any file.
 * @typedef {{ name: string, replace: string, by: string, tests: string[] }} Mutation
 */
const areas = { decide, verdicts, landing, attempts, store }
const mutations = Object.entries(areas).flatMap(([area, all]) => all.map((each) => ({ area, ...each })))

const words = process.argv.slice(2).filter((word) => word !== '--check')
const onlyCheck = process.argv.includes('--check')
const chosen = mutations.filter(
  ({ area, name }) => words.length === 0 || words.some((word) => area === word || name.includes(word)),
)
const copy = mkdtempSync(join(tmpdir(), 'umpire-mutations-'))
try {
  copyTree()
  // Find all pieces before trying the first mutation.
  const found = chosen.map((mutation) => ({ ...mutation, file: locate(mutation) }))
  const wrong = found.flatMap(({ file }) => (file.kind === 'wrong' ? [file.why] : []))
  if (wrong.length > 0) throw new Error(wrong.join('\n'))
  if (onlyCheck) console.log(`the code holds all of the ${chosen.length} pieces`)
  else tryAll()
} finally {
  rmSync(copy, { recursive: true, force: true })
}

function tryAll() {
  build()
  for (const tests of new Map(chosen.map((each) => [each.tests.join(' '), each.tests])).values()) {
    if (!pass(tests)) throw new Error(`fails without any mutation: vitest run ${tests.join(' ')}`)
  }
  let caught = 0
  for (const mutation of chosen) {
    const file = locate(mutation)
    if (file.kind === 'wrong') throw new Error(file.why)
    const text = file.text.replace(mutation.replace, () => mutation.by)
    // Without a step some types no longer fit, but this does not check types.
    writeFileSync(file.path, file.path.endsWith('.ts') ? `// @ts-nocheck\n${text}` : text)
    if (mutation.tests.some(startsCommand)) build()
    const survived = pass(mutation.tests)
    console.log(`${survived ? 'SURVIVED' : 'caught  '}  ${mutation.area}: ${mutation.name}`)
    if (!survived) caught += 1
    writeFileSync(file.path, file.text)
  }
  console.log(`${caught} of ${chosen.length} mutations were caught`)
  process.exitCode = caught === chosen.length && caught > 0 ? 0 : 1
}

/** Copies what the tests and the build need, and every configuration of the tests. */
function copyTree() {
  const parts = ['src', 'test', 'scripts', 'checker', 'package.json', 'tsconfig.json', 'tsconfig.build.json']
  const configurations = readdirSync(root).filter((name) => /^vitest\..*ts$/.test(name))
  for (const name of [...parts, ...configurations])
    cpSync(join(root, name), join(copy, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
}

/**
 * The file in src/ that contains the piece. Files move, so all of them are searched. A piece that is missing, or occurs
 * more than once, is an error: its mutation would prove nothing.
 * @param {Mutation} mutation
 * @returns {{ kind: 'found', path: string, text: string } | { kind: 'wrong', why: string }}
 */
function locate({ name, replace }) {
  const entries = readdirSync(join(copy, 'src'), { recursive: true, withFileTypes: true })
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path, text: readFileSync(path, 'utf8') }))
  const times = files.map(({ text }) => text.split(replace).length - 1).reduce((sum, count) => sum + count, 0)
  const file = files.find(({ text }) => text.includes(replace))
  if (file && times === 1) return { kind: 'found', ...file }
  return { kind: 'wrong', why: `src/ holds this ${times} times and not once, for "${name}": ${replace}` }
}

/**
 * Whether these tests start the built command. Tests of single parts read the source.
 * @param {string} tests
 */
function startsCommand(tests) {
  return tests.startsWith('test/') && !/^test\/(core|verdicts|store|vcs|attempts)\b/.test(tests)
}

function build() {
  const { status, stderr } = run([process.execPath, 'scripts/build.mjs'])
  if (status !== 0) throw new Error(`the mutated tree does not build:\n${stderr}`)
}

/**
 * Runs only the tests of every test run: a mutation that only a long test notices has survived.
 * @param {string[]} tests
 */
function pass(tests) {
  const args = ['run', '--bail', '1', '--exclude', '**/*.long.test.ts', ...tests]
  return run([process.execPath, 'node_modules/vitest/vitest.mjs', ...args]).status === 0
}

/** @param {string[]} argv */
function run([program = '', ...args]) {
  return spawnSync(program, args, { cwd: copy, encoding: 'utf8', maxBuffer: 1 << 28 })
}
