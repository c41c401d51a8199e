/** The measurements of start-up.mjs, in a separate process because it may run where only loopback can be reached. */
import { spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { build } from 'esbuild'
import { beside, inScratch, median, umpire } from './scratch.mjs'

const rounds = 5
const e2e = beside('../e2e')

const { clis, binOf, openModel } = await loadModel()
const results = []
const chosen = process.env.E2E_CLIS?.split(',')
for (const cli of clis.filter(({ name }) => chosen?.includes(name) ?? true)) {
  const name = `start of ${cli.name}: ms added by Umpire`
  const isThere = existsSync(join(binOf(cli.name), cli.name))
  results.push(isThere ? { name, ...(await measure(cli)) } : { name, ratio: 'not run', limit: 60 })
}
console.log(JSON.stringify(results))

/** The tests' own model and table of agents, which are TypeScript. */
async function loadModel() {
  const outfile = join(e2e, `.bundle-${process.pid}.mjs`)
  const contents = "export * from './clis.ts'; export * from './model/serve.ts'"
  try {
    await build({
      stdin: { contents, resolveDir: e2e, loader: 'ts' },
      ...{ outfile, bundle: true, format: 'esm', platform: 'node', logLevel: 'warning' },
    })
    return await import(outfile)
  } finally {
    rmSync(outfile, { force: true })
  }
}

async function measure(cli) {
  const developer = [[{ hold: 'looking' }, { write: 'work.txt', content: 'one\n' }]]
  const model = await openModel({ developer, reviewer: [] })
  const role = { agent: cli.name, ...cli.role(model.port) }
  const config = JSON.stringify({ roles: { developer: role, reviewer: role }, review: { enabled: false } })
  try {
    return await inScratch(config, async ({ folder, git }) => {
      const env = environment(cli, folder, model.port)
      const call = (...args) => started([process.execPath, umpire, ...args], folder, env, 'pipe')
      const alone = await capture(cli, folder, call, model)
      const withUmpire = []
      const without = []
      for (let round = 0; round < rounds; round++) {
        withUmpire.push(await throughUmpire(folder, call, round + 2))
        without.push(await byItself(alone, freshWorktree(folder, git, round)))
      }
      const added = median(withUmpire) - median(without)
      const best = Math.min(...withUmpire) - Math.min(...without)
      return {
        ...{ ratio: Math.round(added), limit: 60, withUmpire: median(withUmpire), alone: median(without) },
        // The difference that remains when nothing else disturbed either side.
        best,
      }
    })
  } finally {
    await model.close()
  }
}

function environment(cli, folder, port) {
  const home = join(folder, '.git', 'home')
  const tmp = join(folder, '.git', 'tmp')
  for (const made of [home, tmp]) mkdirSync(made)
  for (const [path, text] of Object.entries(cli.home?.({ checkout: folder, port }) ?? {})) {
    mkdirSync(dirname(join(home, path)), { recursive: true })
    writeFileSync(join(home, path), text)
  }
  const PATH = [binOf(cli.name), dirname(process.execPath), process.env.PATH].join(delimiter)
  const XDG_CONFIG_HOME = join(home, 'no-config')
  return {
    PATH,
    HOME: home,
    XDG_CONFIG_HOME,
    TMPDIR: tmp,
    LANG: 'C.UTF-8',
    GIT_CONFIG_NOSYSTEM: '1',
    E2E_MARK: folder,
  }
}

/** Runs it once while the model delays its answer, and reads from the running process how it was started. */
async function capture(cli, folder, call, model) {
  await call('add', 'Write work.txt').ended
  const working = call('work')
  await Promise.race([model.reached('looking'), working.ended])
  const found = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => ({
      pid: Number(pid),
      argv: read(`/proc/${pid}/cmdline`),
      env: read(`/proc/${pid}/environ`),
    }))
    .filter(({ env }) => env.includes(`E2E_MARK=${folder}`) && env.includes('UMPIRE_ROLE=developer'))
    .filter(
      ({ argv }) => argv.some((word) => word.split('/').at(-1) === cli.name) && !argv[0].endsWith('bwrap'),
    )
    .sort((one, other) => one.pid - other.pid)
    .find(({ argv }) => !argv[0].endsWith('sh'))
  if (!found) throw new Error(`${cli.name} was not found among the processes`)
  const files = join(folder, '.umpire/attempts/1-1/files')
  const kept = join(folder, '.git/files')
  cpSync(files, kept, { recursive: true })
  const prompt = readFileSync(join(folder, '.umpire/attempts/1-1/prompt'))
  model.release('looking')
  await working.ended
  writeFileSync(join(kept, 'prompt'), prompt)
  return {
    argv: found.argv.map((word) => word.replaceAll(files, kept)),
    env: Object.fromEntries(found.env.map((entry) => entry.split(/=(.*)/s, 2))),
    prompt: join(kept, 'prompt'),
  }
}

async function throughUmpire(folder, call, task) {
  await call('add', 'Write work.txt').ended
  const working = call('work')
  const first = await firstByte(join(folder, `.umpire/attempts/${task}-1/stdout`))
  await working.ended
  const events = (await call('events', '--json').ended)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const announced = events.find((event) => event.type === 'session.started' && event.task === task)
  return first - Date.parse(announced.at)
}

/** Agents start slower in a new folder, so the run without Umpire also starts in a new one. */
function freshWorktree(folder, git, round) {
  const worktree = join(folder, '.umpire', `alone-${round}`)
  git('worktree', 'add', '-q', '--detach', worktree)
  return worktree
}

async function byItself({ argv, env, prompt }, folder) {
  const output = `${folder}.stdout`
  rmSync(output, { force: true })
  const stdio = [openSync(prompt, 'r'), openSync(output, 'w'), 'ignore']
  const since = Date.now()
  const running = started(argv, folder, { ...env, PWD: folder }, stdio)
  const first = await firstByte(output)
  await running.ended
  return first - since
}

async function firstByte(path) {
  for (const since = Date.now(); Date.now() - since < 60_000; await sleep(1)) {
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0) return Date.now()
  }
  throw new Error(`nothing came to ${path}`)
}

function started([program, ...args], cwd, env, stdio) {
  const child = spawn(program, args, { cwd, env, stdio })
  let text = ''
  child.stdout?.on('data', (data) => {
    text += data
  })
  return { ended: new Promise((done) => child.once('close', () => done(text))) }
}

function read(path) {
  try {
    return readFileSync(path, 'utf8')
      .split('\0')
      .filter((part) => part !== '')
  } catch {
    return []
  }
}
