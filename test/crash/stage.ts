/**
 * Many repositories that all contain the same task, and the outcome of the task in each. The task goes through a
 * failing gate, a rejection, a revision and an approval, and so through every rule of a loop that a crash could break.
 * Other settings and another preparation put a different play on the stage.
 */
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { cp, rm, symlink, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { findTree, send } from '../../src/lib/process/process-tree.ts'
import { openStore } from '../../src/store/sqlite/open-store.ts'
import { until } from '../support/patient.ts'
import { inMemory, makeRepository } from '../support/repository.ts'
import { builtCommand, isRunning } from '../support/umpire.ts'
import type { Harm } from './harm.ts'

const run = promisify(execFile)
const realGit = execFileSync('/bin/sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
const fixture = (name: string) => resolve(import.meta.dirname, '../fixtures/crash', name)

export interface Stage {
  /** A fresh repository with the task in it. */
  scene(): Promise<Scene>
  remove(): void
}

export interface Scene {
  folder: string
  root: string
  home: string
  env: Record<string, string>
  /** The built command. */
  start(...args: string[]): Started
  /** The engine that harms itself, with `parallel` tasks at once. */
  drive(harm: Harm | null, parallel?: number): Started
  /** The built command with a git that kills or freezes it at a given call (test/fixtures/crash/git). */
  startWithGit(harm: GitHarm | null, ...args: string[]): Started
  hold(where: string): Promise<void>
  letGo(where: string): Promise<void>
  /** Resolves when the agent or gate has reached the place. */
  arrived(where: string): Promise<void>
  /** The process ids of the agents that run now. */
  agents(): number[]
  /** The agent runs so far: role, iteration, cycle. */
  runs(): string[]
  /** What a user can see of the task once it has ended. */
  outcome(): Promise<Outcome>
  /** Everything left behind although nothing runs any more, and every broken invariant. Empty if all is well. */
  leftovers(): Promise<string[]>
  processes(): Promise<number[]>
  remove(): Promise<void>
}

export interface GitHarm {
  call: number
  how: 'goes-on' | 'dies' | 'freezes'
}

export interface Started {
  pid: number
  lines(): string[]
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string }>
  kill(signal: NodeJS.Signals): void
}

export interface Outcome {
  status: string
  verdict: string | null
  tree: string
  subjects: string[]
  reviews: string[]
  transcripts: string[]
  runs: string[]
}

export async function openStage(
  settings: Record<string, unknown> = {},
  prepare: (template: Scene) => Promise<void> = fileTask,
): Promise<Stage> {
  const folder = realpathSync(mkdtempSync(join(inMemory(), 'umpire-crash-')))
  await installPackage(folder)
  const gate = `sh ${fixture('gate.sh')}`
  const config = {
    agents: { player: { command: ['sh', fixture('agent.sh')] } },
    roles: { developer: 'player', reviewer: 'player' },
    limits: { agent_retries: 0 },
    gates: { check: gate },
    ...settings,
  }
  // JSON is valid YAML.
  const repository = makeRepository({ 'README.md': '# Example\n', 'umpire.yaml': JSON.stringify(config) })
  const template = overScene(join(folder, 'template'), folder)
  mkdirSync(template.folder)
  cpSync(repository.root, template.root, { recursive: true })
  repository.remove()
  await prepare(template)
  let scenes = 0
  return {
    async scene() {
      const own = join(folder, `scene-${++scenes}`)
      mkdirSync(own)
      const scene = overScene(own, folder)
      await cp(template.root, scene.root, { recursive: true })
      relink(template, scene)
      return scene
    },
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  }
}

async function fileTask({ start }: Scene): Promise<void> {
  await start('add', '--gate', 'test -e README.md', 'Write the work').ended
}

/** Git stores absolute paths of its worktrees. In a copy they would lead back to the original. */
function relink(from: Scene, to: Scene): void {
  const links = [join(to.root, '.git/worktrees'), join(to.home, 'worktrees')].flatMap((folder) =>
    existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [],
  )
  for (const path of links.flatMap((link) => [join(link, 'gitdir'), join(link, '.git')])) {
    if (existsSync(path)) writeFileSync(path, readFileSync(path, 'utf8').replace(from.root, to.root))
  }
}

/** Makes the folder look like the package: its dist, its packages, and the driver next to them. */
async function installPackage(folder: string): Promise<void> {
  const root = resolve(import.meta.dirname, '../..')
  await cp(join(root, 'package.json'), join(folder, 'package.json'))
  // A copy, because another build meanwhile would replace dist.
  await cp(dirname(builtCommand), join(folder, 'dist'), { recursive: true })
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  await build({
    entryPoints: [fixture('driver.ts')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    outfile: join(folder, 'driver.mjs'),
    logLevel: 'warning',
  })
}

function environment(folder: string): Record<string, string> {
  return {
    PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
    HOME: folder,
    XDG_CONFIG_HOME: join(folder, 'no-config'),
    GIT_CONFIG_NOSYSTEM: '1',
    LANG: 'C.UTF-8',
    BENCH: folder,
    REAL_GIT: realGit,
  }
}

function overScene(folder: string, packaged: string): Scene {
  const root = join(folder, 'checkout')
  const home = join(root, '.umpire')
  const env = environment(folder)
  const launch = (program: string, args: string[], path?: string) =>
    overChild(
      spawn(process.execPath, [join(packaged, program), ...args], {
        cwd: root,
        env: path === undefined ? env : { ...env, PATH: `${path}${delimiter}${env.PATH}` },
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    )
  const scene: Scene = {
    folder,
    root,
    home,
    env,
    start: (...args) => launch('dist/main.js', args),
    drive: (harm, parallel = 1) => launch('driver.mjs', [root, JSON.stringify(harm), String(parallel)]),
    startWithGit(harm, ...args) {
      if (harm) writeFileSync(join(folder, 'git-harm'), `${harm.call} ${harm.how}\n`)
      return launch('dist/main.js', args, fixture(''))
    },
    hold: (where) => writeFile(join(folder, `hold-${where}`), ''),
    letGo: (where) => rm(join(folder, `hold-${where}`)),
    arrived: (where) => until(() => existsSync(join(folder, `at-${where}`)), `${where} of ${folder}`),
    agents: () =>
      notes(folder)
        .map((line) => Number(line.split(' ').at(-1)))
        .filter(isRunning),
    runs: () => notes(folder).map((line) => line.split(' ').slice(0, 3).join(' ')),
    outcome: () => readOutcome(scene),
    leftovers: () => findLeftovers(scene),
    processes: () => findTree({ name: 'BENCH', value: folder }),
    async remove() {
      for (const pid of await scene.processes()) send(pid, 'SIGKILL')
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
  return scene
}

function notes(folder: string): string[] {
  const path = join(folder, 'runs')
  return existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : []
}

async function readOutcome({ root, home, runs }: Scene): Promise<Outcome> {
  const { archive, close } = await openStore({ path: join(home, 'umpire.db'), access: 'read' })
  try {
    const loop = await archive.loop(1)
    const branch = loop?.work.place?.branch ?? 'none'
    const git = async (...args: string[]) => (await run('git', args, { cwd: root })).stdout.trimEnd()
    const transcripts: string[] = []
    for (const session of await archive.sessions(1)) {
      if (session.status !== 'done') continue
      const messages = await archive.messages(session.id)
      // Two files are read alternately, so only the order within each is certain.
      const lines = messages.map(({ source, content }) => `${source}: ${content}`).sort()
      transcripts.push(`${session.role} ${session.iteration}: ${lines.join(' / ')}`)
    }
    return {
      status: loop?.standing.status ?? 'none',
      verdict: loop?.standing.verdict ?? null,
      tree: await git('rev-parse', `${branch}^{tree}`),
      subjects: (await git('log', '--format=%s', `main..${branch}`)).split('\n'),
      reviews: (await archive.reviews(1)).map(({ cycle, verdict }) => `${cycle} ${verdict}`),
      transcripts,
      runs: runs(),
    }
  } finally {
    await close()
  }
}

async function findLeftovers(scene: Scene): Promise<string[]> {
  const { home, root } = scene
  const found = ['attempts', 'clones', 'scratch'].flatMap((name) => {
    const folder = join(home, name)
    return existsSync(folder) ? readdirSync(folder).map((entry) => `${name}/${entry}`) : []
  })
  const locks = readdirSync(join(root, '.git'), { recursive: true, encoding: 'utf8' })
  found.push(...locks.filter((path) => path.endsWith('.lock')))
  // Landed work needs no worktree any more. Removing the last worktree also removes the folders.
  const listed = (folder: string) => (existsSync(folder) ? readdirSync(folder) : [])
  const worktrees = listed(join(home, 'worktrees'))
  const known = listed(join(root, '.git/worktrees'))
  if (known.length !== worktrees.length) found.push(`git worktrees: ${known}`)
  for (const name of worktrees) {
    const cwd = join(home, 'worktrees', name)
    const { stdout: changes } = await run('git', ['status', '--porcelain'], { cwd })
    if (changes !== '') found.push(`uncommitted in ${name}: ${changes}`)
  }
  // A keeper still lives for a moment after it has published its result.
  let pids = await scene.processes()
  for (let looks = 0; pids.length > 0 && looks < 3000; looks++) {
    await new Promise((done) => setTimeout(done, 20))
    pids = await scene.processes()
  }
  found.push(...pids.map((pid) => `process ${pid}`))
  // The independent checker verifies the journal, the tables and the branch.
  await run(process.execPath, [resolve(import.meta.dirname, '../../checker/check.mjs'), root]).catch(
    ({ stdout, stderr }: { stdout: string; stderr: string }) => found.push(`${stdout}${stderr}`),
  )
  return found
}

function overChild(child: ChildProcess): Started {
  const heard = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      heard[name] += text
    })
  }
  return {
    pid: child.pid ?? 0,
    lines: () => heard.stdout.split('\n').slice(0, -1),
    kill: (signal) => void child.kill(signal),
    // Not `close`: an agent that continues may hold the pipes.
    ended: new Promise((done) => {
      child.once('exit', (code, signal) => setImmediate(() => done({ code, signal, ...heard })))
    }),
  }
}
