/**
 * The end-to-end tests with the real agents. It installs each at its pinned version into its folder in e2e/clis, runs
 * the tests of the installed ones against a scripted model, and reports the result of every agent. An agent that could
 * not be installed was not run, which is neither a pass nor a failure. Arguments select agents by name.
 *
 * If the system allows it, the agents can reach nothing but loopback.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findIsolation } from './isolation.mjs'

const top = fileURLToPath(new URL('..', import.meta.url))
const home = join(top, 'e2e/clis')
const installMs = 10 * 60_000

const known = readdirSync(home)
const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !known.includes(name))
if (unknown.length > 0) {
  console.error(`e2e/clis has no agent ${unknown.join(', ')}. It has ${known.join(', ')}.`)
  process.exit(2)
}

const isolation = findIsolation()
const clis = (wanted.length > 0 ? wanted : known).map((name) => {
  const cli = { name, folder: join(home, name), ...pinnedIn(join(home, name)) }
  return { ...cli, missing: install(cli) }
})
const present = clis.filter(({ missing }) => missing === null)
const outcome = present.length > 0 ? runTests(present.map(({ name }) => name)) : { status: 0, tests: [] }

console.log('')
if (isolation.length === 0) {
  console.log('The agents could reach other hosts, because unshare does not work here.')
}
const judged = clis.map((cli) => judge(cli, outcome.tests))
for (const { line } of judged) console.log(line)
process.exit(outcome.status === 0 && judged.every(({ isFine }) => isFine) ? 0 : 1)

function pinnedIn(folder) {
  const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const [[packageName, version]] = Object.entries(dependencies)
  return { packageName, version }
}

/** Null if it is installed, otherwise why not. */
function install(cli) {
  if (speaks(cli)) return null
  console.log(`Installing ${cli.packageName} ${cli.version}…`)
  const npm = run(['npm', 'ci', '--no-audit', '--no-fund', '--loglevel=error'], [], {
    cwd: cli.folder,
    timeout: installMs,
  })
  if (npm.status !== 0) return reasonOf(npm.stderr) || String(npm.error ?? 'npm ci failed')
  if (speaks(cli)) return null
  // Some packages install their program only in an install script, which npm may be told not to run.
  const { scripts = {} } = JSON.parse(readFileSync(join(packageOf(cli), 'package.json'), 'utf8'))
  if (scripts.postinstall) {
    run(['sh', '-c', scripts.postinstall], [], { cwd: packageOf(cli), timeout: installMs })
  }
  return speaks(cli) ? null : 'it was installed, but does not print its version'
}

function speaks({ name, folder, version }) {
  const program = join(folder, 'node_modules/.bin', name)
  if (!existsSync(program)) return false
  const scratch = mkdtempSync(join(tmpdir(), 'umpire-agents-'))
  try {
    const env = { PATH: process.env.PATH, HOME: scratch }
    const { stdout } = run(isolation, [program, '--version'], { cwd: scratch, env, timeout: 60_000 })
    return stdout?.includes(version) === true
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

function packageOf({ folder, packageName }) {
  return join(folder, 'node_modules', packageName)
}

function runTests(names) {
  const scratch = mkdtempSync(join(tmpdir(), 'umpire-agents-'))
  const report = join(scratch, 'report.json')
  try {
    const vitest = [join(top, 'node_modules/vitest/vitest.mjs'), 'run', '--config', 'e2e/vitest.config.ts']
    const reporters = ['--reporter=verbose', '--reporter=json', `--outputFile.json=${report}`]
    const { status } = run(isolation, [process.execPath, ...vitest, ...reporters], {
      cwd: top,
      env: { ...process.env, E2E_CLIS: names.join(',') },
      stdio: 'inherit',
    })
    const files = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')).testResults : []
    return { status, tests: files.flatMap((file) => file.assertionResults) }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

function judge({ name, version, missing }, tests) {
  if (missing !== null) {
    return { line: `${name}: NOT RUN (could not be installed: ${missing})`, isFine: true }
  }
  const own = tests.filter(({ ancestorTitles }) => ancestorTitles[0] === name)
  const passed = own.filter(({ status }) => status === 'passed').length
  const others = own.length - passed
  if (own.length === 0) return { line: `${name} ${version}: NOT RUN (no test of it ran)`, isFine: false }
  const rest = others > 0 ? `, ${others} FAILED` : ''
  return { line: `${name} ${version}: ${passed} passed${rest}`, isFine: others === 0 }
}

function run(prefix, command, options) {
  const [program, ...args] = [...prefix, ...command]
  return spawnSync(program, args, { encoding: 'utf8', ...options })
}

/** `npm error code E404`, and the explanation in the next line. */
function reasonOf(text) {
  const lines = (text ?? '').split('\n').map((line) => line.replace(/^npm error\s*/, '').trim())
  return lines
    .filter((line) => line !== '')
    .slice(0, 2)
    .join(': ')
    .slice(0, 200)
}
